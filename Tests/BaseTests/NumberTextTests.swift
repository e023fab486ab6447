import MeshpipeBase
import Testing

struct NumberTextTests {
  @Test(arguments: [
    (12.5, 3, "12.5"), (1200, 3, "1200"), (1200, 0, "1200"), (-0.0004, 3, "0"),
    (0.0006, 3, "0.001"),
    (-7.25, 1, "-7.3"), (1e30, 3, "1e+30"), (.nan, 3, "nan"),
  ])
  func `a trimmed number has no zeros at the end of its decimal places`(
    number: Double, digits: Int, text: String
  ) {
    #expect(NumberText.trimmed(number, digits: digits) == text)
  }

  @Test func `a number of any base is filled with zeros, and never cut`() {
    #expect(String(12, digits: 6) == "000012")
    #expect(String(0xA0, digits: 4, radix: 16) == "00a0")
    #expect(String(0x1F600, digits: 4, radix: 16, uppercase: true) == "1F600")
  }
}
