/// A demand on the frames of a capture, and what was measured of them.
public struct CaptureGate: Sendable, Equatable, Codable {
  /// What is measured: `sharpness`.
  public var name: String
  /// The unit of the values: `m/s`; empty for shares and ratios.
  public var unit: String
  /// What the values must not pass.
  public var limits: Limits
  /// In the order of the frames; frames that can't be judged have none.
  public var readings: [Reading]
  /// Whether a capture of which nothing is known here is not good enough.
  public var isRequired: Bool

  /// Creates a gate with what was measured.
  public init(
    name: String, unit: String = "", limits: Limits, readings: [Reading], isRequired: Bool = false
  ) {
    self.name = name
    self.unit = unit
    self.limits = limits
    self.readings = readings
    self.isRequired = isRequired
  }

  /// Whether the capture is not good enough: the gate has failed, or is required and unknown.
  public var refuses: Bool { outcome == .failed || isRequired && outcome == .unknown }

  /// The value of a frame.
  public struct Reading: Sendable, Equatable, Codable {
    /// The name of the frame, or of the step of the recording; nil for the whole capture.
    public var frame: String?
    /// Seconds since the first frame; nil if the frame has no time.
    public var time: Double?
    /// In ``CaptureGate/unit``.
    public var value: Double

    /// Creates a reading.
    public init(frame: String?, time: Double? = nil, value: Double) {
      self.frame = frame
      self.time = time
      self.value = value
    }
  }

  /// What the values of a gate must not pass.
  public struct Limits: Sendable, Equatable, Codable {
    /// Whether values must not be above the limits; otherwise not below.
    public var isMaximum: Bool
    /// The limit that means a warning.
    public var warning: Double
    /// The limit that means failure.
    public var failure: Double
    /// The share of the readings that may pass a limit.
    public var allowed: Double

    /// Creates limits.
    public init(isMaximum: Bool, warning: Double, failure: Double, allowed: Double = 0) {
      self.isMaximum = isMaximum
      self.warning = warning
      self.failure = failure
      self.allowed = allowed
    }

    /// Whether a value is beyond one of the limits.
    public func isBeyond(_ limit: Double, _ value: Double) -> Bool {
      isMaximum ? value > limit : value < limit
    }
  }

  /// What becomes of a capture at a gate.
  public enum Outcome: String, Sendable, CaseIterable {
    /// Few enough values pass the limits.
    case passed
    /// Too many values pass the limit of warning.
    case warning
    /// Too many values pass the limit of failure.
    case failed
    /// Nothing could be measured.
    case unknown
  }

  /// The outcome of all readings.
  public var outcome: Outcome {
    if readings.isEmpty { return .unknown }
    if hasTooMany(beyond: limits.failure) { return .failed }
    return hasTooMany(beyond: limits.warning) ? .warning : .passed
  }

  /// The readings that pass a limit, the worst first.
  public func readings(beyond limit: Double) -> [Reading] {
    readings.filter { limits.isBeyond(limit, $0.value) }.sorted {
      limits.isMaximum ? $0.value > $1.value : $0.value < $1.value
    }
  }

  private func hasTooMany(beyond limit: Double) -> Bool {
    let count = readings.count { limits.isBeyond(limit, $0.value) }
    return Double(count) > limits.allowed * Double(readings.count)
  }
}
