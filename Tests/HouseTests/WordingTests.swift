import Foundation
import MeshTestSupport
import Testing

/// Comments, messages and pages use plain, idiomatic English.
struct WordingTests {
  /// Phrases to avoid, lower case, with better ones.
  private static let betterWords = [
    "anew": "again", "are none of": "are not among", "are to be": "must be, will be",
    "blanks": "spaces", "but for": "except", "climbs out": "leads out of",
    "cut short": "truncated", "dearer": "slower, more expensive", "goes by": "uses",
    "in vain": "without success", "is to be": "must be, will be", "low line": "underscore",
    "low lines": "underscores", "nobody": "no one, nothing; or name who",
    "so many": "the name of the count: `count` bytes", "somebody": "someone; or name who",
    "surely": "certainly, reliably", "tell of": "report", "tells of": "reports",
    "that are none": "unknown, invalid", "that is none": "unknown, invalid",
    "is thinned": "is decimated", "are thinned": "are decimated", "thins": "decimates",
    "to be had": "available", "told of": "reported, warned about",
    "whoever": "users who, callers that", "without words": "without a message",
  ]

  /// The texts that the rules apply to.
  private static func isOurs(_ path: String) -> Bool {
    let isText = [".swift", ".c", ".h", ".cpp", ".md", ".json"].contains { path.hasSuffix($0) }
    let isInFolder = ["Sources/", "docs/", "pipelines/"].contains { path.hasPrefix($0) }
    return isText && isInFolder || ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].contains(path)
  }

  @Test func `texts avoid phrases that have a plainer form`() throws {
    let phrases = Self.betterWords.keys.sorted().joined(separator: "|")
    for (place, found) in try Self.matches(of: "\\b(?:\(phrases))\\b") {
      Issue.record("\(place): '\(found)'; better: \(Self.betterWords[found.lowercased()] ?? "")")
    }
  }

  @Test func `what something is not is said with 'is not a'`() throws {
    let pattern = #"(?<!here)(?<!/) (?:is|are|was|were) no (?!longer\b|more\b|less\b|\w+er\b)\w+"#
    for (place, found) in try Self.matches(of: pattern) {
      let better = found.replacingOccurrences(of: " no ", with: " not a ")
      Issue.record("\(place): '…\(found)'; better: '…\(better)'")
    }
  }

  /// The matches of a pattern in all texts, with file and line.
  private static func matches(of pattern: String) throws -> [(place: String, text: String)] {
    let expression = try NSRegularExpression(pattern: pattern, options: .caseInsensitive)
    return try Checkout.trackedFiles().filter(isOurs).flatMap { path in
      let text = try Checkout.text(path) as NSString
      let all = NSRange(location: 0, length: text.length)
      return expression.matches(in: text as String, range: all).map { match in
        let line = text.substring(to: match.range.location).count { $0.isNewline } + 1
        return ("\(path):\(line)", text.substring(with: match.range))
      }
    }
  }
}
