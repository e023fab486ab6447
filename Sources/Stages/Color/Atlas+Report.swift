import MeshPipeline
import SurfaceKernels

extension Atlas {
  /// Reports the layout of a surface, and which requests did not fit.
  ///
  /// - Parameters:
  ///   - density: The texels per metre.
  ///   - wanted: What was asked for; nil for as many as fit.
  ///   - padding: The distance between charts that was asked for.
  func report(density: Double, wanted: Double?, padding: Int, to context: StageContext) {
    context.note("pages", pages.count.json)
    context.note("pageSize", (pages.first?.x ?? 0).json)
    context.note("texelsPerMeter", JSONValue(.number(density)))
    context.note("texelsUsed", JSONValue(.number(usedShare)))
    let wayOut = "raise 'size' or 'pages'"
    if let wanted, density < 0.99 * wanted {
      context.warn("only \(Int(density)) texels per metre fit, not \(Int(wanted)); \(wayOut)")
    }
    if self.padding < padding, !pages.isEmpty {
      context.warn(
        "only \(self.padding) texel(s) fit between charts, not \(padding); \(wayOut), or lower 'padding'"
      )
    }
  }
}
