import MeshPipeline
import NativeLibraries

/// The arrays and pictures of a page, each an element of its own, in base 64.
final class PageData {
  private(set) var sections: [[UInt8]] = []

  /// The number of bytes of all.
  var size: Int { sections.reduce(0) { $0 + $1.count + 64 } }

  /// Adds a picture as it is.
  ///
  /// - Returns: What refers to it.
  func add(_ picture: [UInt8], type: String) -> JSONValue {
    ["data": add(picture), "type": type.json]
  }

  /// Adds bytes.
  ///
  /// - Returns: The number of their element.
  func add(_ bytes: [UInt8]) -> JSONValue {
    sections.append(Array(URLText.base64(bytes).utf8))
    return (sections.count - 1).json
  }

  /// Adds integers: component by component, each as the difference to the one before, with the sign in the lowest bit
  /// and seven bits in a byte, and compressed.
  ///
  /// So neighbours that are close in space take little more than a byte, and any number of bits is possible.
  func add(count: Int, width: Int = 1, _ value: (_ index: Int, _ component: Int) -> Int)
    -> JSONValue
  {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(2 * count * width)
    for component in 0..<width {
      var last = 0
      for index in 0..<count {
        let next = value(index, component)
        let change = next - last
        last = next
        var code = UInt(bitPattern: change << 1 ^ change >> (Int.bitWidth - 1))
        while code > 127 {
          bytes.append(UInt8(truncatingIfNeeded: code) | 128)
          code >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: code))
      }
    }
    return add(Deflate.compressed(bytes))
  }

  /// Adds coordinates on a grid whose step is at most a tenth of a millimetre in scans below 400 m.
  func add(_ positions: [Vector3]) -> JSONValue {
    let box = Box(positions)
    let extent = box.isEmpty ? 0 : Double(box.extent)
    let fine = extent / 65_535
    let step = fine > 0 ? min(fine, max(1e-4, extent / 4_194_303)) : 1
    let minimum = box.isEmpty ? .zero : SIMD3<Double>(box.minimum)
    let section = add(count: positions.count, width: 3) { index, component in
      Int(((positions[index].double[component] - minimum[component]) / step).rounded())
    }
    return [
      "data": section, "step": JSONValue(.number(step)),
      "minimum": [minimum.x, minimum.y, minimum.z].json,
    ]
  }

  /// Adds texture coordinates; those that are not finite become 0.
  func add(_ coordinates: [Vector2]) -> JSONValue {
    func value(_ index: Int, _ component: Int) -> Double {
      let number = Double(component == 0 ? coordinates[index].x : coordinates[index].y)
      return number.isFinite ? min(max(number, -1000), 1000) : 0
    }
    var (minimum, maximum) = (SIMD2<Double>.zero, SIMD2<Double>(1, 1))
    for index in coordinates.indices {
      let position = SIMD2(value(index, 0), value(index, 1))
      (minimum, maximum) = (pointwiseMin(minimum, position), pointwiseMax(maximum, position))
    }
    let step = (maximum - minimum).max() / 65_535
    let section = add(count: coordinates.count, width: 2) { index, component in
      Int(((value(index, component) - minimum[component]) / step).rounded())
    }
    return [
      "data": section, "step": JSONValue(.number(step)), "minimum": [minimum.x, minimum.y].json,
    ]
  }

  /// Adds unit normals; three zeros stand for none.
  func add(normals: [Vector3]) -> JSONValue {
    add(count: normals.count, width: 3) { index, component in
      let part = normals[index].simd[component]
      return part.isFinite ? Int((127 * min(max(part, -1), 1)).rounded()) : 0
    }
  }

  /// Adds colours in sRGB.
  func add(_ colors: [Color]) -> JSONValue {
    add(count: colors.count, width: 3) { index, component in
      let color = colors[index]
      return Int(component == 0 ? color.red : component == 1 ? color.green : color.blue)
    }
  }
}
