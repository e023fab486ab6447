public import MeshPipeline
import NativeLibraries
import Photogrammetry

/// The printed markers of a size: `"aruco-6x6-50 17mm"`.
public struct MarkerSize: ParameterValue, Equatable {
  let dictionary: MarkerDictionary
  /// The side of the black square.
  let side: Length

  /// ``ParameterType/string``.
  public static let parameterType = ParameterType.string
  /// The dictionary and the size.
  public var json: JSONValue {
    "\(dictionary.rawValue) \(LengthScale(of: [side.meters]).shortText(side.meters))".json
  }

  /// Accepts a dictionary and a length.
  public init(json: JSONValue) throws(ParameterFault) {
    let words = try json.words("a dictionary and a size, like \"aruco-6x6-50 17mm\"", 2...3)
    dictionary = try MarkerDictionary(word: words[0])
    side = try Length(positive: words.dropFirst().joined(), "size")
  }
}

/// A ChArUco board: `"aruco-6x6-50 11x8 22mm"`.
public struct MarkerBoard: ParameterValue, Equatable {
  let dictionary: MarkerDictionary
  /// The number of squares.
  let (columns, rows): (Int, Int)
  /// The side of a square of the chessboard.
  let square: Length

  /// ``ParameterType/string``.
  public static let parameterType = ParameterType.string
  /// The dictionary, the number of squares and their size.
  public var json: JSONValue {
    let size = LengthScale(of: [square.meters]).shortText(square.meters)
    return "\(dictionary.rawValue) \(columns)x\(rows) \(size)".json
  }

  /// Accepts a dictionary, the number of squares across and down, and a length.
  public init(json: JSONValue) throws(ParameterFault) {
    let expectation =
      "a dictionary, the squares across and down, and their size, like \"aruco-6x6-50 11x8 22mm\""
    let words = try json.words(expectation, 3...4)
    dictionary = try MarkerDictionary(word: words[0])
    let counts = words[1].split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard counts.count == 2, let columns = counts[0], let rows = counts[1],
      (2...200).contains(columns), (2...200).contains(rows)
    else { throw .expected(expectation, json) }
    (self.columns, self.rows) = (columns, rows)
    square = try Length(positive: words.dropFirst(2).joined(), "size of a square")
  }
}

/// A known distance: `"7 to 12 = 3.412m"`, between markers by their numbers or points in coordinates of the scene.
public struct KnownDistance: ParameterValue, Equatable {
  /// An end of it.
  enum End: Equatable {
    /// A marker, maybe of a dictionary that is not the only one: `7`, `aruco-5x5-50/7`.
    case marker(MarkerDictionary?, Int)
    case point(LengthVector)
  }

  let (from, to): (End, End)
  let length: Length
  let text: String

  /// ``ParameterType/string``.
  public static let parameterType = ParameterType.string
  /// As it was written.
  public var json: JSONValue { text.json }

  /// Accepts two ends and a length.
  public init(json: JSONValue) throws(ParameterFault) {
    let expectation =
      "two places and a length, like \"7 to 12 = 3.412m\" or "
      + "\"[0, 0, 1] to [2.5, 0, 1] = 2.512m\""
    guard case .string(let text) = json.content else { throw .expected(expectation, json) }
    let sides = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
    let ends = sides[0].split(separator: " to ", omittingEmptySubsequences: false).map(String.init)
    guard sides.count == 2, ends.count == 2 else { throw .expected(expectation, json) }
    from = try End(ends[0])
    to = try End(ends[1])
    length = try Length(positive: sides[1], "length")
    self.text = text
    guard from != to else { throw ParameterFault("'\(text)' has the same place twice") }
  }
}

extension KnownDistance.End {
  init(_ text: String) throws(ParameterFault) {
    let text = text.trimmingSpaces()
    if text.hasPrefix("["), text.hasSuffix("]") {
      let numbers = text.dropFirst().dropLast().split(
        separator: ",", omittingEmptySubsequences: false)
      self = .point(
        try LengthVector(json: JSONValue(.array(numbers.map { Self.element(String($0)) }))))
      return
    }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard let last = parts.last, let number = Int(last), number >= 0, parts.count <= 2 else {
      throw ParameterFault(
        "'\(text)' is neither the number of a marker, like 7 or aruco-5x5-50/7, nor a point like [0, 0, 1.5]"
      )
    }
    self = .marker(parts.count == 2 ? try MarkerDictionary(word: parts[0]) : nil, number)
  }

  /// A coordinate: a number, or a length with a unit.
  private static func element(_ text: String) -> JSONValue {
    let text = text.trimmingSpaces()
    return Double(text).map { JSONValue(.number($0)) } ?? text.json
  }
}

extension JSONValue {
  /// The words of a text.
  fileprivate func words(
    _ expectation: String, _ count: ClosedRange<Int>
  ) throws(ParameterFault) -> [String] {
    guard case .string(let text) = content else { throw .expected(expectation, self) }
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    guard count.contains(words.count) else { throw .expected(expectation, self) }
    return words
  }
}

extension Length {
  fileprivate init(positive text: String, _ what: String) throws(ParameterFault) {
    self = try Length(json: text.trimmingSpaces().json)
    guard meters > 0, meters.isFinite else {
      throw ParameterFault("the \(what) must be greater than 0, found '\(text)'")
    }
  }
}

extension MarkerDictionary {
  fileprivate init(word: String) throws(ParameterFault) {
    let names = Self.allCases.map(\.rawValue)
    guard let dictionary = Self(rawValue: word.lowercased()) else {
      let hint = nearestName(to: word, in: names).map { "; did you mean '\($0)'?" } ?? ""
      throw ParameterFault(
        "'\(word)' is not a dictionary of markers, which are \(names.joined(separator: ", "))\(hint)"
      )
    }
    self = dictionary
  }
}
