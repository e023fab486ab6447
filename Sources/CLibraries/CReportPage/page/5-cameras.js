// The cameras of the capture, and a photograph beside the model as its camera sees it.

class Cameras {
  constructor(viewer) {
    this.viewer = viewer;
    this.group = new THREE.Group();
    this.frames = [];
    byID("cameras").addEventListener("change", event => {
      this.group.visible = event.target.checked;
      viewer.requestDrawing();
    });
  }

  show(frames) {
    this.frames = frames;
    this.chosen = null;
    this.group.remove(...this.group.children);
    byID("camerasLabel").hidden = frames.length === 0;
    byID("frame").hidden = true;
    if (frames.length === 0) return;
    const size = 0.035 * this.viewer.orbit.radius;
    this.matrices = frames.map(frame => new THREE.Matrix4().fromArray(frame.pose));
    const places = [];
    frames.forEach((frame, index) => {
      const corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(([x, y]) => new THREE.Vector3(
        size * (x * frame.size[0] - frame.principalPoint[0]) / frame.focalLength[0],
        size * (frame.principalPoint[1] - y * frame.size[1]) / frame.focalLength[1], -size));
      const eye = new THREE.Vector3();
      corners.forEach((corner, number) => places.push(eye, corner, corner, corners[(number + 1) % 4]));
      const count = 16;
      const own = places.splice(places.length - count, count);
      places.push(...own.map(place => place.clone().applyMatrix4(this.matrices[index])));
    });
    const lines = new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints(places),
      new THREE.LineBasicMaterial({ color: 0x2f6fb5 }));
    lines.frustumCulled = false;
    this.group.add(lines);
  }

  /** The frame whose camera is at a pixel; -1 for none. */
  at(x, y) {
    if (!this.group.visible) return -1;
    let best = -1, nearest = 13;
    this.frames.forEach((frame, index) => {
      const seen = this.viewer.orbit.project(new THREE.Vector3().setFromMatrixPosition(this.matrices[index]));
      const away = seen ? Math.hypot(seen.x - x, seen.y - y) : Infinity;
      if (away < nearest) [best, nearest] = [index, away];
    });
    return best;
  }

  /** Shows the photograph of a frame beside the model. */
  async choose(index) {
    const frame = this.frames[index];
    this.chosen = index;
    const section = byID("frame");
    const step = (text, by) => make("button", {
      type: "button", click: () => this.choose((index + by + this.frames.length) % this.frames.length),
    }, text);
    const select = make("select", { "aria-label": "Frame", change: event => this.choose(event.target.selectedIndex) },
      ...this.frames.map((other, number) => make("option", { selected: number === index }, other.name)));
    const stand = make("button", { type: "button", click: () => this.stand(index) }, "Stand here");
    const close = make("button", { type: "button", click: () => { section.hidden = true; } }, "Close");
    const facts = [frame.similarity !== undefined && "agreement " + (100 * frame.similarity).toFixed(0) + " %",
      frame.time !== undefined && "after " + secondsText(frame.time),
      frame.isDistorted && "the lens's distortion is not in the model's picture"].filter(Boolean).join(" · ");
    const pair = make("div", { class: "pair" });
    section.replaceChildren(make("h2", {}, "Photograph and model"),
      make("p", {}, step("‹ previous", -1), " ", select, " ", step("next ›", 1), " ", stand, " ", close),
      make("p", { class: "quiet" }, facts), pair);
    section.hidden = false;
    const longest = 960, scale = Math.min(1, longest / Math.max(...frame.size));
    const [width, height] = frame.size.map(side => Math.max(1, Math.round(side * scale)));
    const model = this.viewer.view(this.camera(index), width, height);
    const photograph = frame.photograph ? await picture(frame.photograph) : null;
    if (this.chosen !== index) return;
    pair.append(
      photograph ? this.figure(photograph, frame.quarters, "photograph " + frame.name)
        : make("p", { class: "quiet" }, "The photograph of this frame is not in the page."),
      this.figure(model, frame.quarters, "model from the same camera"));
  }

  /** The camera of a frame, as three.js has cameras. */
  camera(index) {
    const frame = this.frames[index], camera = new THREE.PerspectiveCamera();
    const [width, height] = frame.size, radius = this.viewer.orbit.radius;
    camera.matrixAutoUpdate = false;
    camera.matrix.copy(this.matrices[index]);
    camera.matrixWorldNeedsUpdate = true;
    const [near, far] = [0.002 * radius, 20 * radius];
    camera.projectionMatrix.set(
      2 * frame.focalLength[0] / width, 0, 1 - 2 * frame.principalPoint[0] / width, 0,
      0, 2 * frame.focalLength[1] / height, 2 * frame.principalPoint[1] / height - 1, 0,
      0, 0, (near + far) / (near - far), 2 * near * far / (near - far), 0, 0, -1, 0);
    return camera;
  }

  stand(index) {
    const hit = this.viewer.hitAlong({
      origin: new THREE.Vector3().setFromMatrixPosition(this.matrices[index]),
      direction: new THREE.Vector3().setFromMatrixColumn(this.matrices[index], 2).negate().normalize(),
    });
    this.viewer.orbit.standAt(this.matrices[index], hit?.distance ?? 0.5 * this.viewer.orbit.radius);
    byID("scene").scrollIntoView({ block: "nearest" });
  }

  /** A picture, turned so that up is up. */
  figure(source, quarters, caption) {
    const isTurned = quarters % 2 === 1;
    const canvas = make("canvas", { role: "img", "aria-label": caption,
      width: isTurned ? source.height : source.width, height: isTurned ? source.width : source.height });
    const context = canvas.getContext("2d");
    context.translate(canvas.width / 2, canvas.height / 2);
    context.rotate(-quarters * Math.PI / 2);
    context.drawImage(source, -source.width / 2, -source.height / 2);
    return make("figure", {}, canvas, make("figcaption", {}, caption));
  }
}
