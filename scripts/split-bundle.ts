/** Bundles as applications do that load code when it is first needed. */
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

export interface SplitFile {
  readonly name: string;
  readonly text: string;
  readonly gzipBytes: number;
}

/** What a program loads when something is first needed. */
export interface LoadedLater {
  /** What it is named after: the module that is imported. */
  readonly module: string;
  /** All files of it but those that are loaded at first. */
  readonly files: readonly SplitFile[];
}

export interface SplitBundle {
  readonly files: readonly SplitFile[];
  /** Those that are loaded at first. */
  readonly initial: readonly SplitFile[];
  readonly later: readonly LoadedLater[];
}

export const gzipBytesOf = (files: readonly SplitFile[]): number =>
  files.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0);

/** Minified, of ES2022, for browsers. `code`: of the one module that imports the rest, from the packages of the folder `from`. */
export async function splitBundle(request: {
  readonly code: string;
  readonly from: string;
  readonly external?: readonly string[];
}): Promise<SplitBundle> {
  const { code, from, external = [] } = request;
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: from, loader: "ts" },
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    outdir: "split",
    absWorkingDir: from,
    platform: "browser",
    target: "es2022",
    format: "esm",
    external: [...external],
    logLevel: "silent",
  });
  const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
  const files = outputFiles.map(({ path, text, contents }) => ({
    name: nameOf(path),
    text,
    gzipBytes: gzipSync(contents, { level: 9 }).length,
  }));
  const imports = new Map(
    Object.entries(metafile.outputs).map(([path, output]) => [nameOf(path), output.imports]),
  );
  const importedBy = (name: string, kind: string): readonly string[] =>
    (imports.get(name) ?? [])
      .filter((each) => each.kind === kind && !each.external)
      .map(({ path }) => nameOf(path));
  const reachedFrom = (name: string, found = new Set<string>()): ReadonlySet<string> => {
    if (found.has(name)) return found;
    found.add(name);
    for (const imported of importedBy(name, "import-statement")) reachedFrom(imported, found);
    return found;
  };
  const atFirst = reachedFrom("stdin.js");
  const modules = new Set(files.flatMap(({ name }) => importedBy(name, "dynamic-import")));
  return {
    files,
    initial: files.filter(({ name }) => atFirst.has(name)),
    later: [...modules].sort().map((module) => {
      const reached = reachedFrom(module);
      return {
        // Without the hashes of both builds.
        module: module.replace(/(-[A-Z0-9]{8})+\.js$/, ""),
        files: files.filter(({ name }) => reached.has(name) && !atFirst.has(name)),
      };
    }),
  };
}
