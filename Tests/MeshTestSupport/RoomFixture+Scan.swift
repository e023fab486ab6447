import MeshPipeline

extension RoomFixture {
  /// The inside of the room as a scanner sees it, in squares of ten centimetres with their classes.
  ///
  /// The door is 3 cm behind its wall, the window 10 cm; through the opening nothing is seen, and nothing of what furniture hides.
  package static func scan() -> Mesh {
    var scan = ScannedRoom()
    let (w, h, d) = (size.x / 2, size.y, size.z / 2)
    let up = SIMD3<Double>(0, 1, 0)
    scan.add("floor", SIMD3(-w, 0, -d), SIMD3(0, 0, 1), SIMD3(1, 0, 0), 2 * d, 2 * w) { u, v in
      // Under the storage there is nothing to see.
      !(v > 2 * w - 0.6 && (d + 0.4...d + 1.6).contains(u))
    }
    scan.add("ceiling", SIMD3(-w, h, -d), SIMD3(1, 0, 0), SIMD3(0, 0, 1), 2 * w, 2 * d)
    let door = (x: w - 1.95...w - 1.05, y: 0.0...2)
    let opening = (x: w + 0.25...w + 1.75, y: 0.0...2.2)
    let window = (x: w - 1.1...w + 0.1, y: 1.0...2)
    scan.add("wall", SIMD3(-w, 0, -d), SIMD3(1, 0, 0), up, 2 * w, h) { x, y in
      !(door.x.contains(x) && door.y.contains(y))
        && !(opening.x.contains(x) && opening.y.contains(y))
    }
    scan.add("door", SIMD3(-1.95, 0, -d - 0.03), SIMD3(1, 0, 0), up, 0.9, 2)
    scan.add("wall", SIMD3(w, 0, d), SIMD3(-1, 0, 0), up, 2 * w, h) { x, y in
      !(window.x.contains(x - 0.9) && window.y.contains(y))
    }
    scan.add("window", SIMD3(1.1, 1, d + 0.1), SIMD3(-1, 0, 0), up, 1.2, 1)
    scan.add("wall", SIMD3(-w, 0, d), SIMD3(0, 0, -1), up, 2 * d, h)
    scan.add("wall", SIMD3(w, 0, -d), SIMD3(0, 0, 1), up, 2 * d, h) { z, y in
      !((d + 0.4...d + 1.6).contains(z) && y < 1.8)
    }
    scan.addBox("table", SIMD3(-0.8, 0.65, -0.4), SIMD3(0.8, 0.75, 0.4))
    scan.addBox("storage", SIMD3(w - 0.6, 0, 0.4), SIMD3(w, 1.8, 1.6))
    return scan.mesh
  }
}

/// Squares with classes.
private struct ScannedRoom {
  private static let cell = 0.1
  var mesh = Mesh(name: "scan")
  private var classes = FaceClasses(labels: [])

  /// Adds a rectangle that looks along `u × v`.
  mutating func add(
    _ name: String, _ origin: SIMD3<Double>, _ u: SIMD3<Double>, _ v: SIMD3<Double>,
    _ width: Double, _ height: Double, where isThere: (Double, Double) -> Bool = { _, _ in true }
  ) {
    let label = classes.label(named: name) ?? 0
    let (columns, rows) = (Int((width / Self.cell).rounded()), Int((height / Self.cell).rounded()))
    let first = mesh.positions.count
    for row in 0...rows {
      for column in 0...columns {
        let place = origin + u * (Double(column) * Self.cell) + v * (Double(row) * Self.cell)
        mesh.positions.append(Vector3(SIMD3<Float>(place)))
      }
    }
    for row in 0..<rows {
      for column in 0..<columns
      where isThere((Double(column) + 0.5) * Self.cell, (Double(row) + 0.5) * Self.cell) {
        let a = UInt32(first + row * (columns + 1) + column)
        let c = a + UInt32(columns + 1)
        mesh.indices += [a, a + 1, c + 1, a, c + 1, c]
        classes.labels += [label, label]
      }
    }
    mesh.classes = classes
  }

  /// Adds the sides of a box that can be seen: those of its top and around.
  mutating func addBox(_ name: String, _ low: SIMD3<Double>, _ high: SIMD3<Double>) {
    let (x, y, z) = (SIMD3<Double>(1, 0, 0), SIMD3<Double>(0, 1, 0), SIMD3<Double>(0, 0, 1))
    let size = high - low
    add(name, SIMD3(low.x, high.y, low.z), z, x, size.z, size.x)
    add(name, SIMD3(low.x, low.y, high.z), x, y, size.x, size.y)
    add(name, SIMD3(high.x, low.y, low.z), -x, y, size.x, size.y)
    add(name, low, z, y, size.z, size.y)
    if high.x < RoomFixture.size.x / 2 {
      add(name, SIMD3(high.x, low.y, high.z), -z, y, size.z, size.y)
    }
  }
}
