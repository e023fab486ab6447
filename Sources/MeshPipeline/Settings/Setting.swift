import MeshpipeBase
import Synchronization

/// A setting of a run: the option that gives it, its default, and what depends on it, in one declaration.
///
///     @Setting(
///       "--input-format", in: .input, takes: .format("ID", .reading),
///       help: "Read the input as this format, whatever its extension.")
///     public var inputFormat: String? = nil
///
/// The option is a flag unless it takes a value, and may be given several times if the property is an array.
@propertyWrapper
public struct Setting<Value: SettingValue>: Sendable, Equatable {
  /// Shared by the copies of one wrapper, so that reflection can assign to it while decoding: to settings that were just
  /// made and have no copies yet.
  private final class Storage: Sendable {
    let declaration: SettingDeclaration
    let initial: Value
    let value: Mutex<Value>

    init(_ declaration: SettingDeclaration, initial: Value, value: Value) {
      self.declaration = declaration
      self.initial = initial
      self.value = Mutex(value)
    }
  }

  private var storage: Storage

  /// Declares a setting with its default.
  ///
  /// - Parameters:
  ///   - kind: The value that the option takes; nil for a flag.
  ///   - variable: An environment variable with further values of a list, separated by commas.
  ///   - effect: What depends on it; results, unless it is known that they don't.
  package init(
    wrappedValue: Value, _ spellings: String..., in group: OptionGroup,
    takes kind: Option.Value? = nil, alsoFrom variable: String? = nil,
    affects effect: SettingDeclaration.Effect = .results, help: String
  ) {
    var option = Option(in: group, value: kind, repeats: Value.repeats, help: help)
    option.spellings = spellings
    storage = Storage(
      SettingDeclaration(option: option, variable: variable, effect: effect),
      initial: wrappedValue, value: wrappedValue)
  }

  /// The value given, or the default.
  public var wrappedValue: Value {
    get { storage.value.withLock { $0 } }
    set { storage = Storage(storage.declaration, initial: storage.initial, value: newValue) }
  }

  /// The declaration.
  public var projectedValue: SettingDeclaration { storage.declaration }

  /// Compares the values.
  public static func == (left: Setting, right: Setting) -> Bool {
    left.wrappedValue == right.wrappedValue
  }
}

/// The declaration of a setting.
public struct SettingDeclaration: Sendable {
  /// What a setting affects, which decides whether a result is out of date when it changes.
  package enum Effect: Sendable {
    /// The outputs.
    case results
    /// The outputs, or whether there are any, but nothing that stages make.
    case outputs
    /// The outputs, but only by the resolved pipeline, which is compared as a whole.
    case pipeline
    /// The outputs, but only by the pipeline as it is resolved with its input: a batch, which resolves without one,
    /// compares the setting itself.
    case input
    /// Where outputs are sent: what a batch has sent elsewhere is still to be sent.
    case delivery
    /// Whether there are outputs, and never which: what failed may not fail without it.
    case success
    /// No result.
    case nothing
  }

  /// The name of the property, which is the key in JSON.
  package internal(set) var key = ""
  package let option: Option
  /// The environment variable with further values.
  package let variable: String?
  package let effect: Effect
}

/// A setting of any type, as found by reflection.
protocol AnySetting: Sendable {
  var projectedValue: SettingDeclaration { get }
  /// The value as JSON; nil for the default.
  var savedJSON: JSONValue? { get }
  func assign(_ words: [String]) throws
  /// - Returns: False if it is not what ``savedJSON`` gives.
  func assign(saved json: JSONValue) -> Bool
}

extension Setting: AnySetting {
  var savedJSON: JSONValue? {
    let value = wrappedValue
    return value == storage.initial ? nil : value.savedJSON
  }

  func assign(_ words: [String]) throws {
    let value = try Value(words: words)
    storage.value.withLock { $0 = value }
  }

  func assign(saved json: JSONValue) -> Bool {
    guard let value = Value(savedJSON: json) else { return false }
    storage.value.withLock { $0 = value }
    return true
  }
}
