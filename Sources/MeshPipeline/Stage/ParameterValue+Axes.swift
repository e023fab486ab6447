import MeshpipeScene

extension SignedAxis: ParameterValue {}

extension CoordinateSystem.Handedness: ParameterValue {}
