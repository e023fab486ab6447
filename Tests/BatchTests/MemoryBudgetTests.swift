import Testing

@testable import Batch

private let megabyte = 1 << 20

@Suite struct MemoryBudgetTests {
  @Test func `one item always may start`() {
    let budget = MemoryBudget(total: megabyte)
    #expect(budget.admits(size: 1 << 40, beside: []))
    #expect(!budget.admits(size: 0, beside: [megabyte]))
  }

  @Test func `items start while they are likely to fit`() {
    var budget = MemoryBudget(total: 4000 * megabyte)
    let need = budget.estimate(size: 100 * megabyte)
    #expect(need > 1000 * megabyte)
    #expect(budget.admits(size: 100 * megabyte, beside: [need]))
    #expect(!budget.admits(size: 100 * megabyte, beside: [need, need]))
    // Items that turn out to be modest let more of their like in.
    for _ in 0..<8 { budget.learn(size: 100 * megabyte, peak: 300 * megabyte) }
    let learned = budget.estimate(size: 100 * megabyte)
    #expect(learned > 300 * megabyte && learned < 400 * megabyte)
    // A hungry one is taken for the rule.
    budget.learn(size: 100 * megabyte, peak: 3000 * megabyte)
    #expect(budget.estimate(size: 100 * megabyte) > 3000 * megabyte)
  }

  @Test func `small items tell the constant`() {
    var budget = MemoryBudget(total: 1000 * megabyte)
    budget.learn(size: 1000, peak: 200 * megabyte)
    #expect(budget.estimate(size: 0) == 200 * megabyte)
  }
}
