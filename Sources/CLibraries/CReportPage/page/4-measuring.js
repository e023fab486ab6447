// Lengths between two places, which snap to vertices.

class Measuring {
  /** The distance in pixels within which a place becomes that of a vertex. */
  static reach = 14;

  constructor(viewer) {
    this.viewer = viewer;
    this.lengths = [];
    this.first = null;
    this.group = new THREE.Group();
    this.line = new THREE.LineBasicMaterial({ color: 0xd0342c, depthTest: false });
    this.dot = new THREE.PointsMaterial({ color: 0xd0342c, size: 8, sizeAttenuation: false, depthTest: false });
    byID("measure").addEventListener("click", () => this.set(!this.isOn));
  }

  set(isOn) {
    this.isOn = isOn;
    if (!isOn) this.first = null;
    byID("measure").setAttribute("aria-pressed", isOn);
    byID("canvas").classList.toggle("measuring", isOn);
    byID("crosshair").hidden = !isOn;
    this.viewer.say(isOn ? "Choose two places: click, or press Enter for the one at the crosshair." : "");
    this.draw();
  }

  /** Takes the place at a pixel as the next end of a length. */
  take(x, y) {
    const { viewer } = this;
    const hit = viewer.hit(x, y);
    if (!hit) return viewer.say("There is no surface.");
    let place = hit.place, nearest = Measuring.reach;
    for (const vertex of hit.vertices) {
      const seen = viewer.orbit.project(vertex);
      const away = seen ? Math.hypot(seen.x - x, seen.y - y) : Infinity;
      if (away < nearest) [place, nearest] = [vertex, away];
    }
    if (!this.first) {
      this.first = place;
      viewer.say(nearest < Measuring.reach ? "First place: a vertex." : "First place: on the surface.");
    } else {
      this.lengths.push({ from: this.first, to: place });
      this.first = null;
      viewer.say("Length: " + lengthText(this.lengths[this.lengths.length - 1].from.distanceTo(place)));
    }
    this.draw();
  }

  clear() {
    this.lengths = [];
    this.first = null;
    this.draw();
  }

  draw() {
    this.group.remove(...this.group.children);
    const ends = this.lengths.flatMap(length => [length.from, length.to]);
    const dots = this.first ? [...ends, this.first] : ends;
    if (ends.length) this.group.add(new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints(ends), this.line));
    if (dots.length) this.group.add(new THREE.Points(new THREE.BufferGeometry().setFromPoints(dots), this.dot));
    for (const child of this.group.children) [child.frustumCulled, child.renderOrder] = [false, 2];
    this.list();
    this.viewer.requestDrawing();
  }

  /** The lengths as a table, for reading and copying. */
  list() {
    const section = byID("lengths");
    section.hidden = this.lengths.length === 0;
    section.replaceChildren();
    if (section.hidden) return;
    const { axes } = this.viewer.run;
    const rows = this.lengths.map((length, index) => {
      const across = length.to.clone().sub(length.from);
      const parts = axes.map(axis => across.dot(new THREE.Vector3(...axis)));
      return make("tr", {}, make("th", { scope: "row" }, String(index + 1)),
        make("td", { class: "number" }, lengthText(across.length())),
        ...parts.map(part => make("td", { class: "number" }, lengthText(part))),
        make("td", {}, make("button", {
          type: "button", "aria-label": "Remove length " + (index + 1),
          click: () => { this.lengths.splice(index, 1); this.draw(); },
        }, "×")));
    });
    const head = ["", "length", "along x", "along y", "along z", ""].map(text => make("th", { scope: "col" }, text));
    section.append(make("h3", {}, "Lengths"),
      make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)));
  }

  /** Puts the lengths beside their lines. */
  place() {
    const labels = byID("labels");
    labels.replaceChildren();
    for (const { from, to } of this.lengths) {
      const seen = this.viewer.orbit.project(from.clone().add(to).multiplyScalar(0.5));
      if (!seen) continue;
      const label = make("span", {}, lengthText(from.distanceTo(to)));
      label.style.left = seen.x + "px";
      label.style.top = seen.y + "px";
      labels.append(label);
    }
  }
}
