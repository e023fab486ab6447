public import MeshpipeBase

extension SceneSummary {
  /// The summary as JSON, for programs; lengths in metres, except `bounds`, which is in the
  /// coordinates and units of the file (metres where it has feet).
  ///
  /// - Parameters:
  ///   - file: The name of the scene's file.
  ///   - format: The id of its format.
  public func json(file: String, format: String) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("file", text(file)), .init("format", text(format)),
      .init("vertices", number(vertices)), .init("faces", number(faces)),
      .init("points", number(points)), .init("meshes", list(parts, json)),
    ]
    if let splats {
      members.append(
        .init(
          "splats",
          [
            "count": number(splats.count),
            "degree": number(splats.forms.map(\.degree).max() ?? 0),
            "scales": number(splats.forms.map(\.scaleCount).max() ?? 0),
          ]))
    }
    if let bounds {
      members.append(
        .init("bounds", ["minimum": place(bounds.minimum), "maximum": place(bounds.maximum)]))
    }
    if origin != .zero { members.append(.init("origin", vector(origin))) }
    if let referenceSystem { members.append(.init("referenceSystem", json(referenceSystem))) }
    if !customAttributes.isEmpty {
      members.append(.init("customAttributes", list(customAttributes, json)))
    }
    members += [.init("size", vector(sizeInMeters)), .init("area", JSONValue(.number(area)))]
    if let volume { members.append(.init("volume", JSONValue(.number(volume)))) }
    members += [
      .init("classes", list(classes, json)), .init("materials", list(materials, text)),
      .init("drawCalls", JSONValue(.number(Double(drawCalls)))),
      .init("textures", list(textures, json)),
      .init("attributes", list(features) { text($0.rawValue) }),
      .init("boundaryEdges", number(boundaryEdges)),
      .init("nonManifoldEdges", number(nonManifoldEdges)),
      .init("components", number(components)), .init("frames", number(frames)),
      .init("coordinateSystem", json(coordinateSystem)),
      .init("interpretation", interpretation.json),
    ]
    return JSONValue(.object(members))
  }

  private func json(_ part: Part) -> JSONValue {
    [
      "name": text(part.name), "vertices": number(part.vertices), "faces": number(part.faces),
      "points": number(part.points),
    ]
  }

  private func json(_ attribute: AttributeSummary) -> JSONValue {
    [
      "name": text(attribute.name), "per": text(attribute.element), "type": text(attribute.type),
      "width": number(attribute.width),
    ]
  }

  private func json(_ share: ClassShare) -> JSONValue {
    [
      "name": text(share.name), "faces": number(share.faces), "points": number(share.points),
      "area": JSONValue(.number(share.area)),
    ]
  }

  private func json(_ texture: TextureSummary) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("file", text(texture.fileName)), .init("encoding", text(texture.encoding)),
      .init("bytes", number(texture.bytes)),
    ]
    if let size = texture.pixelSize {
      members += [.init("width", number(size.x)), .init("height", number(size.y))]
    }
    return JSONValue(.object(members))
  }

  private func json(_ system: CoordinateSystem) -> JSONValue {
    [
      "up": text(system.up.rawValue), "forward": text(system.forward.rawValue),
      "handedness": text(system.handedness.rawValue),
      "metersPerUnit": JSONValue(.number(system.metersPerUnit)),
    ]
  }

  private func text(_ string: String) -> JSONValue { JSONValue(.string(string)) }
  private func number(_ count: Int) -> JSONValue { JSONValue(.number(Double(count))) }

  private func json(_ system: ReferenceSystem) -> JSONValue {
    [
      "code": system.code.map { text($0) } ?? JSONValue(.null),
      "name": system.name.map { text($0) } ?? JSONValue(.null),
      "metersPerUnit": JSONValue(.number(system.horizontalUnit)),
      "metersPerUnitOfHeight": JSONValue(.number(system.verticalUnit)),
    ]
  }

  /// A corner in the coordinates of the file; single-precision numbers keep their short form.
  private func place(_ value: SIMD3<Float>) -> JSONValue {
    let numbers = (0..<3).map { Double("\(value[$0])") ?? 0 }
    // Sums have digits that neither part has.
    return JSONValue(
      .array(
        (0..<3).map {
          origin[$0] == 0
            ? JSONValue(.number(numbers[$0])) : (numbers[$0] + origin[$0]).json(digits: 6)
        }))
  }

  private func vector(_ value: SIMD3<Double>) -> JSONValue {
    JSONValue(.array([value.x, value.y, value.z].map { JSONValue(.number($0)) }))
  }

  private func list<Element>(_ elements: [Element], _ json: (Element) -> JSONValue) -> JSONValue {
    JSONValue(.array(elements.map(json)))
  }
}
