// The camera that turns about a target: by pointer, touch and keys.

/** Degrees in a radian. */
const degrees = 180 / Math.PI;

class Orbit {
  /**
   * @param canvas Where pointers and keys come from.
   * @param changed Called after each change.
   */
  constructor(canvas, changed) {
    this.canvas = canvas;
    this.changed = changed;
    this.camera = new THREE.PerspectiveCamera();
    this.target = new THREE.Vector3();
    this.azimuth = 30;
    this.elevation = 25;
    this.distance = 1;
    this.radius = 1;
    this.pointers = new Map();
    this.clicked = () => {};
    canvas.addEventListener("pointerdown", event => this.press(event));
    canvas.addEventListener("pointermove", event => this.drag(event));
    canvas.addEventListener("pointerup", event => this.release(event));
    canvas.addEventListener("pointercancel", event => this.pointers.delete(event.pointerId));
    canvas.addEventListener("wheel", event => this.turnWheel(event), { passive: false });
    canvas.addEventListener("contextmenu", event => event.preventDefault());
    canvas.addEventListener("keydown", event => this.pressKey(event));
  }

  /** The axes of the camera: to its right, up, and away from the target. */
  axes() {
    const [turn, rise] = [this.azimuth, this.elevation].map(angle => angle / degrees);
    const back = new THREE.Vector3(
      Math.sin(turn) * Math.cos(rise), Math.sin(rise), Math.cos(turn) * Math.cos(rise));
    const right = new THREE.Vector3(Math.cos(turn), 0, -Math.sin(turn));
    return { right, up: back.clone().cross(right), back };
  }

  /** Brings the camera to where the values say. */
  update(width, height) {
    const { right, up, back } = this.axes();
    const camera = this.camera;
    camera.matrixAutoUpdate = false;
    camera.aspect = width / height;
    // As in 'preview': 35° over the shorter side.
    const slope = 0.3125 * (height > width ? height / width : 1);
    camera.fov = 2 * Math.atan(slope) * degrees;
    camera.near = Math.max(this.distance - 2.5 * this.radius - this.target.distanceTo(this.center), 0.002 * this.radius, 1e-6);
    camera.far = this.distance + 2.5 * this.radius + this.target.distanceTo(this.center);
    camera.updateProjectionMatrix();
    const place = this.target.clone().addScaledVector(back, this.distance);
    camera.matrix.makeBasis(right, up, back).setPosition(place);
    camera.matrixWorldNeedsUpdate = true;
    camera.position.copy(place);
    this.slope = slope;
  }

  /** Goes to the nearest place from which a model is whole in the picture. */
  fit(model, azimuth, elevation, width, height) {
    const box = new THREE.Box3();
    const point = new THREE.Vector3();
    model.forEachPlace((x, y, z) => box.expandByPoint(point.set(x, y, z)));
    if (box.isEmpty()) box.expandByPoint(point.set(0, 0, 0));
    this.center = box.getCenter(new THREE.Vector3());
    // A single point has no size, but is drawn as large as it is.
    this.radius = Math.max(0.5 * box.getSize(new THREE.Vector3()).length(), 4 * (model.pointRadius ?? 0), 1e-6);
    this.azimuth = azimuth;
    this.elevation = elevation;
    const { right, up, back } = this.axes();
    const smaller = Math.min(width, height);
    const [sx, sy] = [width, height].map(side => 0.95 * 0.3125 * side / smaller);
    let [r, l, t, b, near] = Array(5).fill(-Infinity);
    const c = this.center;
    model.forEachPlace((px, py, pz) => {
      const dx = px - c.x, dy = py - c.y, dz = pz - c.z;
      const x = dx * right.x + dy * right.y + dz * right.z, y = dx * up.x + dy * up.y + dz * up.z;
      const z = dx * back.x + dy * back.y + dz * back.z;
      r = Math.max(r, x + sx * z); l = Math.max(l, -x + sx * z);
      t = Math.max(t, y + sy * z); b = Math.max(b, -y + sy * z);
      near = Math.max(near, z);
    });
    if (near === -Infinity) [r, l, t, b, near] = [0, 0, 0, 0, 0];
    const depth = Math.max((r + l) / (2 * sx), (t + b) / (2 * sy), near + 0.02 * this.radius);
    this.target = c.clone().addScaledVector(right, (r - l) / 2).addScaledVector(up, (t - b) / 2);
    this.distance = depth;
    this.fitted = { target: this.target.clone(), distance: depth, azimuth, elevation };
    this.changed();
  }

  /** Whether nothing was turned or moved since the last fit. */
  get isAsFitted() {
    const { fitted } = this;
    return fitted !== undefined && this.distance === fitted.distance && this.azimuth === fitted.azimuth
      && this.elevation === fitted.elevation && this.target.equals(fitted.target);
  }

  /** Stands where a camera of the capture stood. */
  standAt(matrix, distance) {
    const back = new THREE.Vector3().setFromMatrixColumn(matrix, 2).normalize();
    this.elevation = Math.asin(Math.max(-1, Math.min(1, back.y))) * degrees;
    this.azimuth = Math.atan2(back.x, back.z) * degrees;
    this.distance = distance;
    this.target = new THREE.Vector3().setFromMatrixPosition(matrix).addScaledVector(back, -distance);
    this.changed();
  }

  /** The ray through a place of the picture, in pixels of the page. */
  ray(x, y) {
    const area = this.canvas.getBoundingClientRect();
    const { right, up, back } = this.axes();
    const across = (2 * x / area.width - 1) * this.slope * this.camera.aspect, upward = (1 - 2 * y / area.height) * this.slope;
    const direction = right.multiplyScalar(across).addScaledVector(up, upward).sub(back).normalize();
    return { origin: this.camera.position.clone(), direction };
  }

  /** Where a place is in the picture, in pixels of the page; null behind the camera. */
  project(place) {
    const area = this.canvas.getBoundingClientRect();
    const { right, up, back } = this.axes();
    const offset = place.clone().sub(this.camera.position);
    const depth = -offset.dot(back);
    if (depth <= 0) return null;
    const x = offset.dot(right) / (depth * this.slope * this.camera.aspect), y = offset.dot(up) / (depth * this.slope);
    return { x: (x + 1) / 2 * area.width, y: (1 - y) / 2 * area.height, depth };
  }

  turn(right, up) {
    this.azimuth = (this.azimuth + right + 720) % 360;
    this.elevation = Math.max(-90, Math.min(90, this.elevation + up));
    this.changed();
  }

  /** Moves by pixels of the page. */
  move(x, y) {
    const { right, up } = this.axes();
    const scale = 2 * this.slope * this.distance / this.canvas.clientHeight;
    this.target.addScaledVector(right, -x * scale).addScaledVector(up, y * scale);
    this.changed();
  }

  /** Comes nearer, or goes back with a factor above 1; what is at a place of the page stays there. */
  zoom(factor, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    const distance = Math.min(Math.max(this.distance * factor, 1e-3 * this.radius), 30 * this.radius);
    const [dx, dy] = [x - this.canvas.clientWidth / 2, y - this.canvas.clientHeight / 2];
    const share = 1 - distance / this.distance;
    this.move(-dx * share, -dy * share);
    this.distance = distance;
    this.changed();
  }

  // Pointers

  press(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.focus({ preventScroll: true });
    this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    this.start = { x: event.offsetX, y: event.offsetY, isClick: this.pointers.size === 1 && event.button === 0 };
  }

  drag(event) {
    const last = this.pointers.get(event.pointerId);
    if (!last) return;
    const now = { x: event.offsetX, y: event.offsetY };
    const [dx, dy] = [now.x - last.x, now.y - last.y];
    if (Math.hypot(now.x - this.start.x, now.y - this.start.y) > 4) this.start.isClick = false;
    if (this.pointers.size === 2) {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
      const before = Math.hypot(last.x - other.x, last.y - other.y), after = Math.hypot(now.x - other.x, now.y - other.y);
      this.move(dx / 2, dy / 2);
      if (after > 0) this.zoom(before / after, (now.x + other.x) / 2, (now.y + other.y) / 2);
    } else if (!this.start.isClick) {
      if (event.shiftKey || event.buttons & 6) this.move(dx, dy);
      else this.turn(-0.3 * dx, 0.3 * dy);
    }
    this.pointers.set(event.pointerId, now);
  }

  release(event) {
    if (this.pointers.delete(event.pointerId) && this.start.isClick) this.clicked(event.offsetX, event.offsetY);
  }

  turnWheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === 0 ? event.deltaY / 100 : event.deltaY / 3;
    this.zoom(Math.exp(0.25 * Math.max(-4, Math.min(4, lines))), event.offsetX, event.offsetY);
  }

  pressKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (step && event.shiftKey) this.move(-30 * step[0], 30 * step[1]);
    else if (step) this.turn(5 * step[0], 5 * step[1]);
    else if (event.key === "+" || event.key === "=") this.zoom(0.85);
    else if (event.key === "-" || event.key === "_") this.zoom(1 / 0.85);
    else return;
    event.preventDefault();
  }
}
