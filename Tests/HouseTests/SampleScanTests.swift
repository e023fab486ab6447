import Foundation
import MeshTestSupport
import Testing

/// `samples/living-room.obj`, which `Tools/make_sample.py` makes.
struct SampleScanTests {
  private static let loaded = Result { try Scan(at: Checkout.sample) }
  let scan: Scan
  init() throws { scan = try Self.loaded.get() }

  @Test func `it has the size of a phone's scan of one room`() throws {
    #expect((30_000...60_000).contains(scan.faces.count))
    #expect((scan.faces.count / 2...scan.faces.count).contains(scan.positions.count))
    let bytes = try FileManager.default.attributesOfItem(atPath: Checkout.sample)[.size] as? Int
    #expect(try #require(bytes) < 2_000_000)
  }

  @Test func `it bears the eight classes of ARKit, each on more than a few faces`() {
    let counts = Dictionary(grouping: scan.classes, by: \.self).mapValues(\.count)
    #expect(
      Set(counts.keys)
        == ["none", "wall", "floor", "ceiling", "table", "seat", "window", "door"])
    #expect(counts.values.allSatisfy { $0 > 1000 })
    #expect(counts.max { $0.value < $1.value }?.key == "wall")
  }

  @Test func `it stands upright in metres around a head that began the scan`() {
    let floor = scan.heights(of: "floor")
    let ceiling = scan.heights(of: "ceiling")
    #expect(abs(floor.median + 1.42) < 0.02)
    #expect(abs(ceiling.median - 0.98) < 0.02)
    // The floor is seen from above, the ceiling from below.
    #expect(scan.share(of: "floor") { $0.y > 0.9 } > 0.9)
    #expect(scan.share(of: "ceiling") { $0.y < -0.9 } > 0.9)
  }

  @Test func `its walls stand at an angle to the axes`() {
    // No wall faces along an axis, as the voxels do; 17 degrees apart all of them are.
    #expect(scan.share(of: "wall") { max(abs($0.x), abs($0.z)) > 0.995 } < 0.02)
    let turned = scan.share(of: "wall") { normal in
      let angle = atan2(normal.z, normal.x) * 180 / .pi + 17
      return abs(angle - (angle / 90).rounded() * 90) < 12
    }
    #expect(turned > 0.9)
  }

  @Test func `its triangles have the edges of a five centimetre grid`() {
    let lengths = scan.edges.keys.map { scan.length(of: $0) }
    #expect((0.04...0.06).contains(lengths.reduce(0, +) / Double(lengths.count)))
    #expect(lengths.allSatisfy { $0 > 0 && $0 < 0.15 })
  }

  @Test func `its vertices are shared and all used, and no face is degenerate`() {
    #expect(Set(scan.faces.flatMap(\.self)).count == scan.positions.count)
    #expect(Set(scan.positions).count == scan.positions.count)
    #expect(scan.faces.allSatisfy { Set($0).count == 3 })
  }

  @Test func `it is open where the sensor saw nothing, and has hardly an edge with three faces`() {
    let open = scan.edges.values.count { $0 == 1 }
    let shared = scan.edges.values.count { $0 == 2 }
    #expect((1000...10_000).contains(open))
    #expect(scan.edges.count - open - shared < 50)
  }

  @Test func `it has the fragments that reflections leave`() {
    let sizes = scan.componentSizes
    #expect((10...100).contains(sizes.count))
    #expect(sizes[0] > scan.faces.count * 9 / 10)
  }
}

/// An OBJ file of triangles in groups, read as plainly as can be.
struct Scan {
  var positions: [SIMD3<Double>] = []
  var faces: [[Int]] = []
  var classes: [String] = []
  /// The number of faces at each edge.
  var edges: [Edge: Int] = [:]

  struct Edge: Hashable {
    var low: Int
    var high: Int
  }

  init(at path: String) throws {
    var group = ""
    for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
      let words = line.split(separator: " ")
      switch words[0] {
      case "v":
        let numbers = try words.dropFirst().map { try #require(Double($0)) }
        positions.append(SIMD3(numbers[0], numbers[1], numbers[2]))
      case "g": group = String(words[1])
      case "f":
        faces.append(try words.dropFirst().map { try #require(Int($0)) - 1 })
        classes.append(group)
      default: #expect(words[0] == "#")
      }
    }
    for face in faces {
      for (a, b) in [(face[0], face[1]), (face[1], face[2]), (face[2], face[0])] {
        edges[Edge(low: min(a, b), high: max(a, b)), default: 0] += 1
      }
    }
  }

  /// The box around all vertices with Z up, as Blender shows a scan with Y up: x, -z, y.
  var boxInBlender: (low: [Double], high: [Double]) {
    let low = positions.reduce(SIMD3(repeating: .infinity)) { pointwiseMin($0, $1) }
    let high = positions.reduce(SIMD3(repeating: -.infinity)) { pointwiseMax($0, $1) }
    return ([low.x, -high.z, low.y], [high.x, -low.z, high.y])
  }

  func length(of edge: Edge) -> Double {
    let difference = positions[edge.high] - positions[edge.low]
    return (difference * difference).sum().squareRoot()
  }

  func normal(of face: [Int]) -> SIMD3<Double> {
    let (a, b) = (positions[face[1]] - positions[face[0]], positions[face[2]] - positions[face[0]])
    let cross = SIMD3(
      a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    return cross / (cross * cross).sum().squareRoot()
  }

  func faces(of name: String) -> [[Int]] { zip(faces, classes).filter { $0.1 == name }.map(\.0) }

  func heights(of name: String) -> [Double] {
    faces(of: name).map { face in face.map { positions[$0].y }.reduce(0, +) / 3 }
  }

  /// The share of the faces of a class whose normal fulfils a condition.
  func share(of name: String, where condition: (SIMD3<Double>) -> Bool) -> Double {
    let faces = faces(of: name)
    return Double(faces.count { condition(normal(of: $0)) }) / Double(faces.count)
  }

  /// The number of faces of each connected component, the largest first.
  var componentSizes: [Int] {
    var parent = Array(positions.indices)
    func root(_ vertex: Int) -> Int {
      var vertex = vertex
      while parent[vertex] != vertex {
        parent[vertex] = parent[parent[vertex]]
        vertex = parent[vertex]
      }
      return vertex
    }
    for face in faces {
      parent[root(face[1])] = root(face[0])
      parent[root(face[2])] = root(face[0])
    }
    return Dictionary(grouping: faces) { root($0[0]) }.values.map(\.count).sorted(by: >)
  }
}

extension [Double] {
  fileprivate var median: Double { sorted()[count / 2] }
}
