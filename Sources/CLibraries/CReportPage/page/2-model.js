// The surface and the points of a model, as objects of three.js.

const vertexShader = `
  attribute vec4 tint;
  attribute float field;
  varying vec3 place, direction;
  varying vec4 shade;
  varying vec2 spot;
  varying float amount;
  uniform float pointSize;
  void main() {
    place = position;
    direction = normal;
    shade = tint;
    spot = uv;
    amount = field;
    gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
    gl_PointSize = max(1.5, pointSize * projectionMatrix[1][1] / gl_Position.w);
  }`;

// The light is that of the pictures of 'preview', without its shadows.
const fragmentShader = `
  varying vec3 place, direction;
  varying vec4 shade;
  varying vec2 spot;
  varying float amount;
  uniform vec3 color, classColor, lamp;
  uniform sampler2D map;
  uniform bool hasMap, usesColors, isPhotographed, isPoint, isSigned;
  uniform int mode;
  vec3 light(vec3 code) { return mix(code / 12.92, pow((code + 0.055) / 1.055, vec3(2.4)), step(0.04045, code)); }
  vec3 code(vec3 light) {
    light = clamp(light, 0.0, 1.0);
    return mix(light * 12.92, 1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, light));
  }
  vec3 ramp(float x) {
    vec3 stops[5];
    if (isSigned) {
      stops[0] = vec3(49, 54, 149); stops[1] = vec3(116, 173, 209); stops[2] = vec3(255, 255, 191);
      stops[3] = vec3(244, 109, 67); stops[4] = vec3(165, 0, 38);
    } else {
      stops[0] = vec3(68, 1, 84); stops[1] = vec3(59, 82, 139); stops[2] = vec3(33, 145, 140);
      stops[3] = vec3(94, 201, 98); stops[4] = vec3(253, 231, 37);
    }
    float at = clamp(x, 0.0, 1.0) * 4.0;
    vec3 value = stops[0];
    for (int stop = 0; stop < 4; stop++) value = mix(value, stops[stop + 1], clamp(at - float(stop), 0.0, 1.0));
    return value / 255.0;
  }
  void main() {
    vec3 toEye = cameraPosition - place;
    vec3 normal = direction;
    bool isFlat = dot(normal, normal) < 0.25;
    if (isFlat) normal = isPoint ? toEye : cross(dFdx(place), dFdy(place));
    normal = normalize(normal);
    if (dot(normal, toEye) < 0.0) normal = -normal;
    if (isPoint && length(gl_PointCoord - 0.5) > 0.5) discard;
    if (mode == 2) {
      gl_FragColor = vec4(gl_FrontFacing || isPoint ? normal * 0.5 + 0.5 : vec3(0.45, 0.08, 0.06), 1.0);
      return;
    }
    vec3 base = color;
    bool photographed = isPhotographed;
    if (mode == 0) {
      if (hasMap) base *= light(texture2D(map, spot).rgb);
      if (usesColors) base *= light(shade.rgb);
    } else {
      photographed = false;
      if (mode == 1) base = classColor;
      if (mode == 3) base = vec3(0.5);
      if (mode == 4) base = amount < 0.0 ? vec3(0.3) : light(ramp(amount));
    }
    float height = 0.5 + 0.5 * normal.y;
    float strength = photographed ? 0.88 + 0.12 * height
      : 0.66 * (0.5 + 0.5 * height) + 0.46 * max(0.0, dot(normal, lamp));
    if (mode == 4) strength = 0.55 + 0.45 * strength;
    gl_FragColor = vec4(code(base * strength), 1.0);
  }`;

/** What all materials of the page have in common. */
const common = {
  mode: { value: 0 }, isSigned: { value: false }, lamp: { value: new THREE.Vector3(0, 1, 0) },
};

class Model {
  /** @param entry What the page says of the model. */
  constructor(entry) {
    this.entry = entry;
    this.group = new THREE.Group();
    this.materials = [];
    this.fields = {};
  }

  async load() {
    const tasks = [];
    if (this.entry.surface) tasks.push(this.loadSurface(this.entry.surface));
    if (this.entry.cloud) tasks.push(this.loadCloud(this.entry.cloud));
    await Promise.all(tasks);
    return this;
  }

  async loadSurface(entry) {
    const count = entry.vertices;
    const [positions, indices, normals, colors, spots, maps] = await Promise.all([
      onGrid(entry.positions, count, 3),
      integers(entry.indices, entry.faces, 3, Uint32Array),
      entry.normals !== undefined && integers(entry.normals, count, 3, Int8Array),
      entry.colors !== undefined && integers(entry.colors, count, 3, Uint8Array),
      entry.spots && onGrid(entry.spots, count, 2),
      Promise.all((entry.textures ?? []).map(texture)),
    ]);
    this.positions = positions;
    this.indices = indices;
    const geometry = this.geometry = new THREE.BufferGeometry();
    geometry.setIndex(new THREE.BufferAttribute(indices, 1));
    geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
    if (normals) geometry.setAttribute("normal", new THREE.BufferAttribute(normals, 3, true));
    if (colors) geometry.setAttribute("tint", new THREE.BufferAttribute(colors, 3, true));
    if (spots) geometry.setAttribute("uv", new THREE.BufferAttribute(spots, 2));
    entry.groups.forEach((group, index) => {
      geometry.addGroup(3 * group.start, 3 * group.count, index);
      const look = entry.looks[group.look];
      this.materials.push(this.material(look, group.class, maps[look.texture]));
    });
    this.surface = new THREE.Mesh(geometry, this.materials);
    this.surface.frustumCulled = false;
    this.group.add(this.surface);
  }

  async loadCloud(entry) {
    const [positions, normals, colors] = await Promise.all([
      onGrid(entry.positions, entry.points, 3),
      entry.normals !== undefined && integers(entry.normals, entry.points, 3, Int8Array),
      integers(entry.colors, entry.points, 3, Uint8Array),
    ]);
    this.points = positions;
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
    if (normals) geometry.setAttribute("normal", new THREE.BufferAttribute(normals, 3, true));
    geometry.setAttribute("tint", new THREE.BufferAttribute(colors, 3, true));
    const look = { color: [1, 1, 1], usesColors: true, isPhotographed: entry.isPhotographed };
    this.pointMaterial = this.material(look, undefined, undefined);
    this.pointMaterial.uniforms.isPoint.value = true;
    this.pointRadius = entry.radius;
    const points = new THREE.Points(geometry, this.pointMaterial);
    points.frustumCulled = false;
    this.group.add(points);
  }

  material(look, label, map) {
    const color = this.entry.classes?.[label]?.color ?? [0.5, 0.5, 0.5];
    const material = new THREE.ShaderMaterial({
      vertexShader, fragmentShader, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
      side: this.entry.isOpened ? THREE.FrontSide : THREE.DoubleSide,
      uniforms: {
        ...common, color: { value: new THREE.Vector3(...look.color) }, classColor: { value: new THREE.Vector3(...color) },
        map: { value: map ?? null }, hasMap: { value: Boolean(map) }, usesColors: { value: look.usesColors },
        isPhotographed: { value: look.isPhotographed }, isPoint: { value: false }, pointSize: { value: 1 },
      },
    });
    material.label = label ?? -1;
    return material;
  }

  /** Shows the values of a field; they are decoded when they are first asked for. */
  async showField(name) {
    const entry = (this.entry.fields ?? []).find(field => field.name === name);
    if (!this.geometry) return;
    let values = entry && this.fields[name];
    if (entry && !values) {
      // 0 stands for no value.
      const codes = await integers(entry.data, this.entry.surface.vertices, 1, Uint16Array);
      values = new THREE.BufferAttribute(Float32Array.from(codes, code => (code - 1) / (entry.codes - 2)), 1);
      this.fields[name] = values;
    }
    if (values) this.geometry.setAttribute("field", values);
    else this.geometry.setAttribute("field", new THREE.BufferAttribute(
      new Float32Array(this.entry.surface.vertices).fill(-1), 1));
  }

  set showsWireframe(isShown) {
    if (isShown && !this.wires && this.geometry) {
      this.wires = new THREE.Mesh(this.geometry, this.materials.map(material => {
        const wire = new THREE.MeshBasicMaterial({ color: 0x101418, wireframe: true, transparent: true, opacity: 0.45 });
        wire.visible = material.visible;
        return wire;
      }));
      this.wires.frustumCulled = false;
      this.group.add(this.wires);
    }
    if (this.wires) this.wires.visible = isShown;
  }

  set showsBacks(isShown) {
    for (const material of this.materials) {
      material.side = isShown ? THREE.DoubleSide : THREE.FrontSide;
      material.needsUpdate = true;
    }
  }

  showClass(label, isShown) {
    this.materials.forEach((material, index) => {
      if (material.label !== label) return;
      material.visible = isShown;
      if (this.wires) this.wires.material[index].visible = isShown;
    });
  }

  /**
   * The place where a ray meets the visible surface first, or the point nearest to it.
   *
   * @param ray Its origin and its direction, of length 1.
   * @param reach The distance from the ray, as a share of that along it, within which a point is hit.
   */
  hit(ray, reach) {
    let best = null;
    const [ox, oy, oz] = ray.origin.toArray(), [dx, dy, dz] = ray.direction.toArray();
    const groups = this.entry.surface?.groups ?? [];
    groups.forEach((group, number) => {
      const material = this.materials[number];
      if (!material.visible) return;
      const showsBacks = material.side === THREE.DoubleSide;
      const { positions, indices } = this;
      for (let corner = 3 * group.start; corner < 3 * (group.start + group.count); corner += 3) {
        const a = 3 * indices[corner], b = 3 * indices[corner + 1], c = 3 * indices[corner + 2];
        // Möller and Trumbore 1997.
        const ax = positions[a], ay = positions[a + 1], az = positions[a + 2];
        const ux = positions[b] - ax, uy = positions[b + 1] - ay, uz = positions[b + 2] - az;
        const vx = positions[c] - ax, vy = positions[c + 1] - ay, vz = positions[c + 2] - az;
        const px = dy * vz - dz * vy, py = dz * vx - dx * vz, pz = dx * vy - dy * vx;
        const area = ux * px + uy * py + uz * pz;
        if (area === 0 || (area < 0 && !showsBacks)) continue;
        const tx = ox - ax, ty = oy - ay, tz = oz - az;
        const s = (tx * px + ty * py + tz * pz) / area;
        if (s < 0 || s > 1) continue;
        const qx = ty * uz - tz * uy, qy = tz * ux - tx * uz, qz = tx * uy - ty * ux;
        const t = (dx * qx + dy * qy + dz * qz) / area;
        if (t < 0 || s + t > 1) continue;
        const distance = (vx * qx + vy * qy + vz * qz) / area;
        if (distance > 0 && (!best || distance < best.distance)) best = { distance, corners: [a, b, c], label: group.class };
      }
    });
    for (let place = 0; place < (this.points?.length ?? 0); place += 3) {
      const x = this.points[place] - ox, y = this.points[place + 1] - oy, z = this.points[place + 2] - oz;
      const along = x * dx + y * dy + z * dz;
      if (along <= 0 || (best && along > best.distance)) continue;
      const away = x * x + y * y + z * z - along * along;
      if (away < (reach * along) ** 2) best = { distance: along, point: place };
    }
    if (!best) return null;
    best.place = ray.origin.clone().addScaledVector(ray.direction, best.distance);
    const vertices = best.corners ?? [best.point], source = best.corners ? this.positions : this.points;
    best.vertices = vertices.map(start => new THREE.Vector3().fromArray(source, start));
    return best;
  }

  /** Calls a function with the coordinates of each vertex and point. */
  forEachPlace(work) {
    for (const places of [this.positions, this.points]) {
      for (let place = 0; place < (places?.length ?? 0); place += 3) {
        work(places[place], places[place + 1], places[place + 2]);
      }
    }
  }
}

/** A texture of three.js, with the last row of its picture first as in OpenGL. */
async function texture(entry) {
  const result = new THREE.Texture(await createImageBitmap(
    new Blob([bytesOf(entry.data)], { type: entry.type }),
    { imageOrientation: "flipY", colorSpaceConversion: "none", premultiplyAlpha: "none" }));
  result.flipY = false;
  result.wrapS = result.wrapT = THREE.RepeatWrapping;
  result.anisotropy = 8;
  result.needsUpdate = true;
  return result;
}
