import MeshPipeline
import NativeLibraries

/// An element of a MaterialX document: a node, an input or output of one, or something that holds them.
struct MaterialXElement {
  /// The kind of a node, such as `image`; `input`, `output`, `nodegraph` and others.
  var category: String
  var attributes: [String: String]
  /// The element around it; nil for the document.
  var parent: Int?
  var children: [Int] = []
  /// The colour space of the numbers in an included document, of its outermost elements.
  var spaceOfDocument: String?

  var name: String { attributes["name"] ?? "" }

  subscript(attribute: String) -> String? {
    attributes[attribute].flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// The elements of a MaterialX document, a file in XML.
struct MaterialXDocument {
  /// The first one is the document.
  private(set) var elements: [MaterialXElement] = []
  /// Documents that become part of this one.
  private(set) var includes: [String] = []

  /// Documents of materials have some kilobytes; more is not a document, or one that would take gigabytes.
  private static let mostBytes = 1 << 25
  static let mostElements = 200_000

  /// - Throws: ``XMLError``
  init(_ bytes: USDBytes) throws {
    guard bytes.count <= Self.mostBytes else {
      throw XMLError(line: 1, message: "is larger than \(Self.mostBytes >> 20) MiB")
    }
    let handler = Handler()
    let parser = try XMLParser(names: [], handler: handler)
    let text = try bytes.with(0..<bytes.count) { [UInt8](copying: $0) }
    try parser.parse(text[...])
    try parser.finish()
    elements = handler.elements
    includes = handler.includes
    guard elements.first?.category == "materialx" else {
      throw XMLError(line: 1, message: "is XML, but no MaterialX document")
    }
  }

  /// Adds the elements of another document, with what that says of all of them.
  ///
  /// - Returns: False, with nothing added, if these are too many elements.
  mutating func include(_ other: MaterialXDocument) -> Bool {
    guard elements.count + other.elements.count <= Self.mostElements else { return false }
    let offset = elements.count - 1
    for (index, element) in other.elements.enumerated().dropFirst() {
      var copy = element
      copy.children = element.children.map { $0 + offset }
      copy.parent = element.parent.map { $0 == 0 ? 0 : $0 + offset }
      if element.parent == 0 {
        copy.attributes["fileprefix"] = element["fileprefix"] ?? other.elements[0]["fileprefix"]
        copy.spaceOfDocument = element.spaceOfDocument ?? other.elements[0]["colorspace"]
        elements[0].children.append(index + offset)
      }
      elements.append(copy)
    }
    return true
  }

  /// The children of an element that are of a category.
  func children(_ category: String, of element: Int) -> [Int] {
    elements[element].children.filter { elements[$0].category == category }
  }

  /// What an element, or else the nearest one around it, says.
  func active(_ attribute: String, of element: Int) -> String? {
    first(around: element) { elements[$0][attribute] }
  }

  /// The colour space that holds for an element.
  ///
  /// - Parameter isPicture: What a whole document says is meant for numbers, and not for pictures.
  func colorSpace(of element: Int, isPicture: Bool) -> String? {
    first(around: element) { place in
      let element = elements[place]
      if isPicture { return place == 0 ? nil : element["colorspace"] }
      return element["colorspace"] ?? element.spaceOfDocument
    }
  }

  /// What is found first at an element or the ones around it.
  private func first(around element: Int, _ value: (Int) -> String?) -> String? {
    var index = element
    while true {
      if let value = value(index) { return value }
      guard let parent = elements[index].parent else { return nil }
      index = parent
    }
  }
}

/// Keeps the elements and those of their attributes that have a meaning here.
private final class Handler: XMLHandler {
  private(set) var elements: [MaterialXElement] = []
  private(set) var includes: [String] = []
  private var open: [Int] = []

  private static let deepest = 64

  private static let keptNames: [StaticString] = [
    "name", "type", "value", "nodename", "nodegraph", "output", "interfacename", "channels",
    "colorspace", "fileprefix",
  ]

  private static func kept(_ attributes: borrowing XMLAttributes) -> [String: String] {
    var result: [String: String] = [:]
    for name in keptNames { result[name.description] = attributes.text(name) }
    return result
  }

  func start(_ name: Int?, _ attributes: borrowing XMLAttributes) throws(XMLFault) {
    guard open.count < Self.deepest, elements.count < MaterialXDocument.mostElements else {
      throw XMLFault("has more elements than plausible")
    }
    // The namespace comes first.
    let category = String(attributes.element.split(separator: " ").last ?? "")
    if category == "include", let file = attributes.text("href") {
      includes.append(file)
    }
    if let parent = open.last { elements[parent].children.append(elements.count) }
    elements.append(
      MaterialXElement(
        category: category, attributes: Self.kept(attributes), parent: open.last))
    open.append(elements.count - 1)
  }

  func end(_ name: Int?) throws(XMLFault) { _ = open.popLast() }

  func declare(prefix: String, namespace: String) {}
}
