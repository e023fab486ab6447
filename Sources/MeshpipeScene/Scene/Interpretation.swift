public import MeshpipeBase

/// How a scan's numbers were interpreted where they don't speak for themselves, and why.
///
/// It describes the input, and travels with its scene through all stages: stages change what the scene is, not what was
/// known of its file.
public struct Interpretation: Sendable, Equatable, Codable {
  /// A question that positions, numbers and names alone leave open.
  public enum Aspect: String, Sendable, CaseIterable, Codable {
    /// The up axis, and the unit of positions.
    case axes, unit
    /// Where zero is, and on which map.
    case origin
    case referenceSystem = "reference-system"
    /// The classes that numbers stand for.
    case classes
    /// The encoding of colours.
    case colors
    /// The axes and the order of the poses' numbers.
    case cameras
    /// Whether faces have a back.
    case sides
    /// The parts of images that are not the scan.
    case masks

    /// The aspect in words: `reference system`.
    public var words: String { self == .referenceSystem ? "reference system" : rawValue }
  }

  /// Where an answer comes from, the most certain first.
  public enum Source: String, Sendable, CaseIterable, Comparable, Codable {
    /// The user says it.
    case option
    /// The file says it, or the capture that it belongs to.
    case declared
    /// The specification or the custom of the format.
    case format
    /// It follows from the file's numbers.
    case numbers
    /// Nothing says it.
    case assumed

    /// The source in words: `declared by the file`.
    public var words: String {
      switch self {
      case .option: "by an option"
      case .declared: "declared by the file"
      case .format: "by its format"
      case .numbers: "by its numbers"
      case .assumed: "assumed"
      }
    }

    /// Orders from the most to the least certain.
    public static func < (left: Source, right: Source) -> Bool {
      (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }
  }

  /// The answer to a question.
  public struct Answer: Sendable, Equatable, Codable {
    /// What was asked.
    public var aspect: Aspect
    /// The answer in words: `y up`, `EPSG:25832`.
    public var value: String
    /// Where it comes from.
    public var source: Source
    /// What led to it, or would have: `nothing in the file says so`; may be empty.
    public var reason: String
    /// The option that says otherwise: `--input-up`; empty if there is none.
    public var option: String
    /// Whether a run says so when a stage or an output acts on it.
    public var isDoubtful: Bool
  }

  /// At most one for each aspect, in their order.
  public private(set) var answers: [Answer] = []

  /// Knows nothing.
  public init() {}

  /// The answer for an aspect; nil if the question did not arise.
  public subscript(aspect: Aspect) -> Answer? { answers.first { $0.aspect == aspect } }

  /// Whether an aspect was answered by nothing that anyone or anything says.
  public func isAssumed(_ aspect: Aspect) -> Bool { self[aspect]?.source == .assumed }

  /// Sets an answer in place of an earlier one.
  ///
  /// - Parameters:
  ///   - value: In words.
  ///   - reason: A clause without a capital and a full stop.
  ///   - option: The option of the command that says otherwise.
  ///   - isDoubtful: Whether a run says so when something acts on it.
  public mutating func set(
    _ aspect: Aspect, _ value: String, _ source: Source, because reason: String = "",
    option: String = "", isDoubtful: Bool = false
  ) {
    set(
      Answer(
        aspect: aspect, value: value, source: source, reason: reason, option: option,
        isDoubtful: isDoubtful))
  }

  private mutating func set(_ answer: Answer) {
    answers.removeAll { $0.aspect == answer.aspect }
    answers.append(answer)
    answers.sort { Self.rank($0.aspect) < Self.rank($1.aspect) }
  }

  private static func rank(_ aspect: Aspect) -> Int { Aspect.allCases.firstIndex(of: aspect) ?? 0 }

  /// Takes the answers of another scan that is merged with this one: of each aspect the less certain one stays.
  public mutating func merge(_ other: Interpretation) {
    for answer in other.answers {
      if let own = self[answer.aspect], own.source >= answer.source { continue }
      set(answer)
    }
  }
}

extension Interpretation {
  /// The answers, each with its aspect, value, source and reason, for reports.
  public var json: JSONValue {
    JSONValue(.array(answers.map(\.json)))
  }
}

extension Interpretation.Answer {
  fileprivate var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("aspect", JSONValue(.string(aspect.rawValue))),
      .init("value", JSONValue(.string(value))),
      .init("source", JSONValue(.string(source.rawValue))),
    ]
    if !reason.isEmpty { members.append(.init("reason", JSONValue(.string(reason)))) }
    if !option.isEmpty { members.append(.init("option", JSONValue(.string(option)))) }
    return JSONValue(.object(members))
  }
}
