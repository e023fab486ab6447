/// The path from the root of a JSON document to one of its values: `stages[1].with.target`.
public struct JSONPath: Sendable, Equatable, CustomStringConvertible {
  package enum Element: Sendable, Equatable {
    case key(String)
    case index(Int)
  }

  package var elements: [Element] = []

  /// The root.
  package init() {}

  package var isEmpty: Bool { elements.isEmpty }

  /// The path of a member of this object.
  package subscript(key: String) -> JSONPath { appending(.key(key)) }

  /// The path of an element of this array.
  package subscript(index: Int) -> JSONPath { appending(.index(index)) }

  private func appending(_ element: Element) -> JSONPath {
    var path = self
    path.elements.append(element)
    return path
  }

  /// The path as text: `stages[2].with.target`.
  public var description: String {
    var text = ""
    for element in elements {
      switch element {
      case .index(let index): text += "[\(index)]"
      case .key(let key) where key.isPlainName: text += text.isEmpty ? key : ".\(key)"
      case .key(let key): text += "[\(JSONValue(.string(key)).compactText)]"
      }
    }
    return text
  }
}

extension String {
  /// Whether the text is a name that needs no quotes: letters, digits, `-`, `_` and `$`.
  package var isPlainName: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
          UInt8(ascii: "$"):
          true
        default: false
        }
      }
  }
}
