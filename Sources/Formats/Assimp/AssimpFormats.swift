import MeshPipeline

// What Assimp both reads and writes.

/// Autodesk FBX; written as binary, read as binary and ASCII.
public enum FBX: AssimpReadableFormat {
  public static let id = "fbx"
  public static let name = "Autodesk FBX"
  public static let extensions = ["fbx"]
}

/// COLLADA, the digital asset exchange of the Khronos Group.
public enum COLLADA: AssimpReadableFormat {
  public static let id = "dae"
  public static let name = "COLLADA"
  public static let extensions = ["dae", "zae"]
}

/// Extensible 3D, the web's format before glTF.
public enum X3D: AssimpReadableFormat {
  public static let id = "x3d"
  public static let name = "Extensible 3D"
  public static let extensions = ["x3d", "x3db"]
}

/// 3D Studio's mesh file.
public enum ThreeDS: AssimpReadableFormat {
  public static let id = "3ds"
  public static let name = "3D Studio"
  public static let extensions = ["3ds", "prj"]
}

/// DirectX's retained mode file.
public enum DirectX: AssimpReadableFormat {
  public static let id = "x"
  public static let name = "DirectX X"
  public static let extensions = ["x"]
}

/// Assimp's own binary dump.
public enum Assbin: AssimpReadableFormat {
  public static let id = "assbin"
  public static let name = "Assimp binary"
  public static let extensions = ["assbin"]
}

/// 3D Manufacturing Format.
public enum ThreeMF: AssimpReadableFormat {
  public static let id = "3mf"
  public static let name = "3D Manufacturing Format"
  public static let extensions = ["3mf"]
}
