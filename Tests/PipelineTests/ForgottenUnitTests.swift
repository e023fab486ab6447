import MeshTestSupport
import Testing

@testable import MeshPipeline

/// Numbers without a unit that are larger than the scan.
struct ForgottenUnitTests {
  private struct Lengths: StageParameters {
    @Parameter("A part.") var deviation: RelativeLength? = nil
    @Parameter("A tolerance.", scope: .detail) var tolerance: RelativeLength? = nil
    @Parameter("A bed.", scope: .aroundScan) var bed = LengthVector(meters: SIMD3(1, 1, 1))
    @Parameter("A range.", scope: .free) var range = Length(meters: 5)
    @Parameter("A place.") var place = LengthVector(meters: .zero)
    @Parameter("A number.") var count = 3.0
  }

  private func message(_ option: String, _ value: JSONValue, size: Double = 0.3) -> String? {
    let scope = Lengths.declarations.first { $0.name == option }?.scope ?? .free
    return ForgottenUnit.suspects(in: value, scope).flatMap {
      ForgottenUnit(option, $0, scope, size: size)?.message
    }
  }

  @Test func `a deviation larger than the scan is refused, and smaller units are proposed`() {
    #expect(
      message("deviation", 2)
        == "'deviation' is 2m, as a number without a unit is metres, which is larger than the scan "
        + "(0.300 m); did you mean 2cm or 2mm? If not, write 2m")
    // As typed for a variable.
    #expect(message("deviation", "2") != nil)
    #expect(message("deviation", 0.2) == nil)
    #expect(message("deviation", "2m") == nil && message("deviation", "200%") == nil)
    #expect(message("deviation", JSONValue(.null)) == nil)
    // A scan without a size says nothing.
    #expect(message("deviation", 2, size: 0) == nil)
  }

  @Test func `a size may be meant in centimetres, where it is no larger than the scan then`() {
    #expect(message("deviation", 10)?.contains("did you mean 10cm or 10mm?") == true)
    #expect(message("deviation", 100)?.contains("did you mean 100mm?") == true)
    #expect(message("bed", 10)?.contains("did you mean 10cm or 10mm?") == true)
    #expect(message("tolerance", 10)?.contains("did you mean 10mm?") == true)
  }

  @Test func `a tolerance is a small part of the scan`() {
    #expect(
      message("tolerance", 2, size: 28.9)
        == "'tolerance' is 2m, as a number without a unit is metres, which is more than 5% of the scan "
        + "(28.9 m); did you mean 2mm? If not, write 2m")
    #expect(message("tolerance", "0.5", size: 5.5) != nil)
    #expect(message("tolerance", 0.02, size: 5.5) == nil)
    #expect(message("tolerance", "2m", size: 5.5) == nil)
  }

  @Test func `a bed may be larger than the scan, but not of 25 metres`() {
    #expect(message("bed", [25, 21, 22])?.contains("did you mean 25cm,21cm,22cm?") == true)
    #expect(message("bed", [250, 210, 220])?.contains("did you mean 250mm,210mm,220mm?") == true)
    #expect(message("bed", ["25", "21", "22"]) != nil)
    #expect(
      message("bed", [0.5, 0.4, 0.5]) == nil && message("bed", ["25m", "21m", "22m"]) == nil)
    #expect(message("bed", [2, 2, 0.1]) == nil)
  }

  @Test func `places, ranges and numbers may be as large as they like`() {
    #expect(message("range", 50) == nil && message("place", [583_000, 4_507_000, 3]) == nil)
    #expect(message("count", 70) == nil)
  }
}
