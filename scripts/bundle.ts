/** Bundles as applications for browsers and the edge do. */
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

export interface BundleRequest {
  /** The code of the one module that imports the rest. */
  readonly code: string;
  /** The folder whose packages it imports. */
  readonly from: string;
  readonly format?: "esm" | "iife";
  /** Packages that are left out. */
  readonly external?: readonly string[];
  /** Further conditions of `exports`, e.g. `workerd`. */
  readonly conditions?: readonly string[];
}

export interface Bundle {
  readonly code: string;
  readonly bytes: number;
  readonly gzipBytes: number;
  /** What it imports as it runs. */
  readonly imports: readonly string[];
}

/** Minified, of ES2022. Throws for what can't be resolved, such as a module of Node's. */
export async function bundle(request: BundleRequest): Promise<Bundle> {
  const { code, from, format = "esm", external = [], conditions = [] } = request;
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: from, loader: "ts" },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: "browser",
    target: "es2022",
    format,
    external: [...external],
    conditions: [...conditions],
    logLevel: "silent",
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error("esbuild gave no file.");
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
  return {
    code: file.text,
    bytes: file.contents.length,
    gzipBytes: gzipSync(file.contents, { level: 9 }).length,
    imports: [...new Set(imports)].sort(),
  };
}
