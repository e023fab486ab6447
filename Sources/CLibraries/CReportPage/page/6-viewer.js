// The view of the models, and what sets it.

class Viewer {
  constructor() {
    const canvas = this.canvas = byID("canvas");
    const context = canvas.getContext("webgl2", { antialias: true, alpha: true });
    if (!context) throw new Error("This browser has no WebGL 2.");
    this.renderer = new THREE.WebGLRenderer({ canvas, context, alpha: true, antialias: true });
    this.renderer.setClearColor(0, 0);
    this.renderer.autoClear = false;
    this.scene = new THREE.Scene();
    this.models = [];
    this.orbit = new Orbit(canvas, () => this.requestDrawing());
    this.orbit.clicked = (x, y) => this.click(x, y);
    this.measuring = new Measuring(this);
    this.cameras = new Cameras(this);
    this.scene.add(this.measuring.group, this.cameras.group);
    this.connect();
    new ResizeObserver(() => this.resize()).observe(canvas);
    canvas.addEventListener("webglcontextlost", event => {
      event.preventDefault();
      this.say("The browser took the view's memory away; load the page again.");
    });
  }

  /** Shows the models of a run, the last one alone at first. */
  async show(run) {
    this.run = run;
    const main = await new Model(run.models[run.models.length - 1]).load();
    for (const model of this.models) this.scene.remove(model.group);
    this.models = [main];
    this.scene.add(main.group);
    byID("compare").hidden = true;
    byID("wireframe").checked = false;
    this.setComparison(false);
    byID("backs").checked = !main.entry.isOpened;
    this.listChoices(main.entry);
    this.listClasses(main.entry);
    this.measuring.clear();
    this.home();
    this.cameras.show(run.frames ?? []);
    this.readAddress();
    await this.setShown(byID("show").value);
    byID("poster").hidden = true;
    this.describe();
    this.loadOther(run);
  }

  /** Adds the model to compare with, when the main one is there. */
  async loadOther(run) {
    if (run.models.length < 2) return;
    await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
    const other = await new Model(run.models[0]).load();
    if (this.run !== run) return;
    other.showsBacks = byID("backs").checked;
    other.showsWireframe = byID("wireframe").checked;
    await other.showField(null);
    this.models.unshift(other);
    this.scene.add(other.group);
    byID("compare").hidden = false;
    if (new URLSearchParams(location.hash.slice(1)).has("compare")) this.setComparison(true);
    this.requestDrawing();
  }

  get main() { return this.models[this.models.length - 1]; }

  home() { this.look(...(this.main.entry.view ?? [30, 25])); }

  look(azimuth, elevation) {
    this.orbit.fit(this.main, azimuth, elevation, this.canvas.clientWidth, this.canvas.clientHeight);
  }

  /** Keeps the whole in sight where the window becomes narrower, unless the user has turned to something else. */
  resize() {
    if (this.models.length && this.orbit.isAsFitted) this.look(this.orbit.azimuth, this.orbit.elevation);
    else this.requestDrawing();
  }

  say(text) { byID("status").textContent = text; }

  describe() {
    const { entry } = this.main;
    const parts = [entry.faces && grouped(entry.faces) + " faces", entry.points && grouped(entry.points) + " points"];
    this.canvas.setAttribute("aria-label", "Model, " + parts.filter(Boolean).join(", ") + ", "
      + entry.size.map(lengthText).join(" × "));
  }

  // Controls

  connect() {
    byID("show").addEventListener("change", event => this.setShown(event.target.value));
    byID("wireframe").addEventListener("change", event => {
      for (const model of this.models) model.showsWireframe = event.target.checked;
      this.requestDrawing();
    });
    byID("backs").addEventListener("change", event => {
      for (const model of this.models) model.showsBacks = event.target.checked;
      this.requestDrawing();
    });
    byID("compare").addEventListener("click", () => this.setComparison(!this.isComparing));
    byID("slider").addEventListener("input", () => this.requestDrawing());
    for (const button of document.querySelectorAll("[data-view]")) {
      const angles = button.dataset.view.split(",").map(Number);
      button.addEventListener("click", () => button.textContent === "Whole" ? this.home() : this.look(...angles));
    }
    byID("full").addEventListener("click", () => this.setFull(!byID("model").classList.contains("full")));
    this.canvas.addEventListener("keydown", event => this.pressKey(event));
    addEventListener("hashchange", () => this.readAddress());
  }

  pressKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Home") this.home();
    else if (event.key === "m" || event.key === "M") this.measuring.set(!this.measuring.isOn);
    else if (event.key === "Enter") {
      const [x, y] = [this.canvas.clientWidth / 2, this.canvas.clientHeight / 2];
      if (this.measuring.isOn) this.measuring.take(x, y);
      else this.click(x, y);
    } else if (event.key === "Escape") {
      if (this.measuring.isOn) this.measuring.set(false);
      else this.setFull(false);
    } else return;
    event.preventDefault();
  }

  setFull(isFull) {
    byID("model").classList.toggle("full", isFull);
    byID("full").setAttribute("aria-pressed", isFull);
  }

  /** Takes the view from the address: `#view=30,25&show=distance&model`, with a choice of *Show* by its value or its words. */
  readAddress() {
    const wishes = new URLSearchParams(location.hash.slice(1));
    if (wishes.has("model")) byID("model").classList.add("full", "bare");
    const angles = (wishes.get("view") ?? "").split(",").map(Number);
    if (angles.length === 2 && angles.every(Number.isFinite)) this.look(...angles);
    else if (wishes.has("model")) this.home();
    const shown = [...byID("show").options].find(option => [option.value, option.textContent].includes(wishes.get("show")));
    if (shown) {
      byID("show").value = shown.value;
      this.setShown(shown.value);
    }
  }

  listChoices(entry) {
    const choices = [["colors", "colours"]];
    if (entry.classes?.length) choices.push(["class", "classes"]);
    choices.push(["normals", "normals"], ["grey", "shape alone"]);
    for (const field of entry.fields ?? []) choices.push(["field:" + field.name, field.name]);
    byID("show").replaceChildren(...choices.map(([value, text]) => make("option", { value }, text)));
    const initial = (entry.fields ?? []).find(field => field.isShown);
    if (initial) byID("show").value = "field:" + initial.name;
  }

  async setShown(value) {
    const name = value.startsWith("field:") ? value.slice(6) : null;
    common.mode.value = name !== null ? 4 : ["colors", "class", "normals", "grey"].indexOf(value);
    const field = name !== null && this.main.entry.fields.find(field => field.name === name);
    const legend = byID("legend");
    legend.hidden = !field;
    if (field) {
      common.isSigned.value = field.isSigned;
      const stops = field.isSigned ? "#313695,#74add1,#ffffbf,#f46d43,#a50026" : "#440154,#3b528b,#21918c,#5ec962,#fde725";
      const text = value => field.isLength ? lengthText(value) : String(+value.toPrecision(4));
      const ramp = make("div", { class: "ramp" });
      ramp.style.background = `linear-gradient(90deg, ${stops})`;
      legend.replaceChildren(make("div", {}, field.help ?? field.name), ramp, make("div", { class: "ends" },
        ...[field.minimum, (field.minimum + field.maximum) / 2, field.maximum].map(v => make("span", {}, text(v)))));
      await this.main.showField(name);
    }
    this.requestDrawing();
  }

  setComparison(isOn) {
    this.isComparing = isOn;
    byID("compare").setAttribute("aria-pressed", isOn);
    for (const id of ["slider", "divider", "leftName", "rightName"]) byID(id).hidden = !isOn;
    if (isOn) {
      byID("leftName").textContent = this.models[0].entry.name;
      byID("rightName").textContent = this.main.entry.name;
    }
    this.requestDrawing();
  }

  /** The area of each class, of the whole model and not of the reduced one, and whether the view has it. */
  listClasses(entry) {
    const section = byID("classes");
    const classes = (entry.classes ?? []).map((row, label) => ({ ...row, label })).filter(row => row.faces || row.points);
    section.hidden = classes.length === 0;
    if (section.hidden) return section.replaceChildren();
    const rows = classes.map(row => {
      const swatch = make("span", { class: "swatch" });
      swatch.style.background = row.code;
      const box = make("input", { type: "checkbox", checked: true, change: event => {
        for (const model of this.models) {
          const label = (model.entry.classes ?? []).findIndex(other => other.name === row.name);
          if (label >= 0) model.showClass(label, event.target.checked);
        }
        this.requestDrawing();
      } });
      return make("tr", {}, make("th", { scope: "row" }, make("label", {}, box, swatch, row.name)),
        make("td", { class: "number" }, areaText(row.area)),
        make("td", { class: "number" }, grouped(row.faces || row.points)));
    });
    const head = ["class", "area", "faces"].map(text => make("th", { scope: "col" }, text));
    section.replaceChildren(make("h3", {}, "Classes"),
      make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)));
  }

  // Drawing

  requestDrawing() {
    if (this.isRequested) return;
    this.isRequested = true;
    requestAnimationFrame(() => {
      this.isRequested = false;
      if (this.models.length) this.draw();
    });
  }

  draw() {
    const { canvas, renderer, orbit } = this;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (width === 0 || height === 0) return;
    const ratio = Math.min(2, devicePixelRatio || 1);
    if (this.size !== `${width} ${height} ${ratio}`) {
      this.size = `${width} ${height} ${ratio}`;
      renderer.setPixelRatio(ratio);
      renderer.setSize(width, height, false);
    }
    orbit.update(width, height);
    this.light(orbit.axes());
    this.setPointSizes(height * ratio);
    renderer.setScissorTest(false);
    renderer.clear();
    if (this.isComparing) {
      const x = Math.round(width * byID("slider").value / 100);
      byID("divider").style.left = x + "px";
      renderer.setScissorTest(true);
      renderer.setScissor(0, 0, x, height);
      this.drawOnly(0, orbit.camera);
      renderer.setScissor(x, 0, width - x, height);
      this.drawOnly(this.models.length - 1, orbit.camera);
      renderer.setScissorTest(false);
    } else {
      this.drawOnly(this.models.length - 1, orbit.camera);
    }
    this.measuring.place();
  }

  drawOnly(index, camera) {
    this.models.forEach((model, number) => { model.group.visible = number === index; });
    this.renderer.render(this.scene, camera);
  }

  light({ right, up, back }) {
    // In front of the scene, above and to the left of the camera.
    common.lamp.value.set(0, 0.9, 0).addScaledVector(back, 0.6).addScaledVector(right, -0.5).normalize();
  }

  setPointSizes(height) {
    for (const model of this.models) {
      if (model.pointMaterial) model.pointMaterial.uniforms.pointSize.value = model.pointRadius * height;
    }
  }

  /** The model as another camera sees it, as a canvas. */
  view(camera, width, height) {
    const target = new THREE.WebGLRenderTarget(width, height);
    const wereShown = [this.cameras.group.visible, this.measuring.group.visible];
    [this.cameras.group.visible, this.measuring.group.visible] = [false, false];
    const back = new THREE.Vector3().setFromMatrixColumn(camera.matrix, 2);
    this.light({ right: new THREE.Vector3().setFromMatrixColumn(camera.matrix, 0), back });
    this.setPointSizes(height);
    this.renderer.setRenderTarget(target);
    this.renderer.clear();
    this.drawOnly(this.models.length - 1, camera);
    const pixels = new Uint8Array(4 * width * height);
    this.renderer.readRenderTargetPixels(target, 0, 0, width, height, pixels);
    this.renderer.setRenderTarget(null);
    target.dispose();
    [this.cameras.group.visible, this.measuring.group.visible] = wereShown;
    const canvas = make("canvas", { width, height }), context = canvas.getContext("2d");
    const image = context.createImageData(width, height);
    for (let y = 0; y < height; y++) {
      image.data.set(pixels.subarray(4 * width * (height - 1 - y), 4 * width * (height - y)), 4 * width * y);
    }
    context.putImageData(image, 0, 0);
    this.requestDrawing();
    return canvas;
  }

  // Choosing places

  hit(x, y) {
    return this.hitAlong(this.orbit.ray(x, y), this.isComparing && x < byID("slider").value / 100 * this.canvas.clientWidth);
  }

  hitAlong(ray, isBefore = false) {
    return (isBefore ? this.models[0] : this.main).hit(ray, 8 * 2 * this.orbit.slope / this.canvas.clientHeight);
  }

  click(x, y) {
    if (this.measuring.isOn) return this.measuring.take(x, y);
    const frame = this.cameras.at(x, y);
    if (frame >= 0) return this.cameras.choose(frame);
    const hit = this.hit(x, y);
    if (!hit?.corners) return this.say("");
    if (common.mode.value === 4) this.sayField(hit);
    else this.sayClass(hit);
  }

  /** Says the class of a face, and the area of the class in the whole model. */
  sayClass(hit) {
    const row = this.main.entry.classes?.[hit.label];
    this.say(row ? `${row.name}: ${areaText(row.area)} in all` : "");
  }

  /** Says the value of the field at the nearest corner of a face. */
  sayField(hit) {
    const name = byID("show").value.slice(6);
    const field = this.main.entry.fields.find(field => field.name === name), values = this.main.fields[name]?.array;
    if (!field || !values) return;
    const distances = hit.vertices.map(vertex => vertex.distanceTo(hit.place));
    const value = values[hit.corners[distances.indexOf(Math.min(...distances))] / 3];
    const number = field.minimum + value * (field.maximum - field.minimum);
    this.say(value < 0 ? "no value here" : `${field.name}: ${field.isLength ? lengthText(number) : +number.toPrecision(4)}`);
  }
}
