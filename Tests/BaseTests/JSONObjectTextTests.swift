import MeshpipeBase
import Testing

struct JSONObjectTextTests {
  @Test func `what is not changed keeps its bytes`() throws {
    let text = #"{"a": 1.50, "b" :[1, {"c": "}"}] , "t": 1700000000123456789,"s":"x, \"y\": z" }"#
    var object = try #require(JSONObjectText(text))
    #expect(object.text == text)
    #expect(object.keys == ["a", "b", "t", "s"])
    #expect(object["b"] == #"[1, {"c": "}"}]"#)
    #expect(object["t"] == "1700000000123456789")
    object.set("a", to: 2)
    #expect(object.text == text.replacing("1.50", with: "2"))
    object.set("new", to: "n")
    #expect(object.text.hasSuffix(#""s":"x, \"y\": z", "new": "n" }"#))
    object.remove("new")
    #expect(object.text == text.replacing("1.50", with: "2"))
  }

  @Test(arguments: ["a", "b", "c"])
  func `any member can be removed`(key: String) throws {
    var object = try #require(JSONObjectText(#"{ "a": 1, "b": [2], "c": {"d": 3} }"#))
    object.remove(key)
    let left = try #require(JSONReader.read(Array(object.text.utf8)).value)
    for other in ["a", "b", "c"] { #expect((left[other] == nil) == (other == key)) }
  }

  @Test func `an empty object takes members, and gives them back`() throws {
    for text in ["{}", "{ }", "\n{\n}\n"] {
      var object = try #require(JSONObjectText(text))
      object.set("a", toText: "[1]")
      #expect(object["a"] == "[1]")
      object.set("b", to: true)
      #expect(object.keys == ["a", "b"])
      object.remove("b")
      object.remove("a")
      #expect(object.text == text)
    }
  }

  @Test(arguments: ["", "[]", "1", "{", #"{"a": 1} x"#, "{ // no\n }", #"{"a" 1}"#])
  func `other texts are refused`(text: String) {
    #expect(JSONObjectText(text) == nil)
  }
}
