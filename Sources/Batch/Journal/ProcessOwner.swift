import MeshPipeline
import POSIX

/// The process that runs a batch, for messages.
struct ProcessOwner: Equatable {
  var process: Int
  var host: String
  /// A time in the form of ``UTC``.
  var since: String

  /// This process, since now.
  static var current: ProcessOwner {
    let name = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      unsafe buffer.initialize(repeating: 0)
      guard let start = buffer.baseAddress, unsafe gethostname(start, 255) == 0 else {
        return ""
      }
      return unsafe String(cString: start)
    }
    return ProcessOwner(process: Int(getpid()), host: name, since: UTC.text(of: FileSystem.now))
  }

  init(process: Int, host: String, since: String) {
    self.process = process
    self.host = host
    self.since = since
  }

  init?(_ json: JSONValue) {
    guard let process = json["process"]?.wholeNumber, let host = json["host"]?.text,
      let since = json["since"]?.text
    else { return nil }
    self.init(process: process, host: host, since: since)
  }

  var json: JSONValue {
    ["process": process.json, "host": host.json, "since": since.json]
  }
}

/// Times as texts.
enum UTC {
  /// A time in nanoseconds since 1970 as `2026-11-21T16:28:14Z`.
  static func text(of time: Int64) -> String {
    let seconds = time / 1_000_000_000
    let (day, second) = (floor(seconds, 86_400), Int(seconds - floor(seconds, 86_400) * 86_400))
    // Hinnant, "chrono-compatible low-level date algorithms": years begin in March.
    let shifted = day + 719_468
    let era = floor(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    func digits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let monthOfYear = Int(month < 10 ? month + 3 : month - 9)
    return "\(year + era * 400 + (monthOfYear <= 2 ? 1 : 0))-\(digits(monthOfYear))"
      + "-\(digits(Int(dayOfYear - (153 * month + 2) / 5 + 1)))"
      + "T\(digits(second / 3600)):\(digits(second / 60 % 60)):\(digits(second % 60))Z"
  }

  private static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
    value >= 0 ? value / divisor : (value + 1) / divisor - 1
  }
}
