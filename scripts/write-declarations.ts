/**
 * Writes the declarations of all packages into their `dist` with one run of the compiler: a `.d.ts` for each source that an
 * entry reaches, and the same as a `.d.cts` for CommonJS. Their maps lead editors to the sources, which the packages carry.
 * Run `turbo run build` first, which writes the code.
 */
import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import ts from "typescript";
import { compileSources, publishedPackages } from "./published-packages.ts";
import { writeChanged } from "./write-changed.ts";

const root = new URL("..", import.meta.url).pathname;

const packages = publishedPackages(root);
const sources = packages.flatMap(({ entries, imported }) => [
  ...entries.map(({ source }) => source),
  ...imported,
]);
const program = compileSources(root, sources, {
  noEmit: false,
  declaration: true,
  declarationMap: true,
  emitDeclarationOnly: true,
});

/** Matches a specifier of another source in a declaration: `from "./x.ts"`, `import("./x.ts")`. */
const SPECIFIER = /(\b(?:from|import)\s*\(?\s*")(\.{1,2}\/[^"]+)\.ts(?=")/g;

/** The path of the declaration of a package's source, without its ending. */
function placeOf(source: string): string | undefined {
  const folder = packages.find((each) => source.startsWith(join(each.folder, "src/")))?.folder;
  return folder && join(folder, "dist", relative(join(folder, "src"), source)).replace(/\.ts$/, "");
}

interface Declaration {
  readonly source: string;
  /** Without the line that names its map. */
  readonly text: string;
  /** From places in the text to places in the source. */
  readonly mappings: string;
}

function declare(file: ts.SourceFile): Declaration {
  let text = "";
  let map = "{}";
  const { diagnostics } = program.emit(file, (path, written) => {
    if (path.endsWith(".map")) map = written;
    else text = written.replace(/\/\/# sourceMappingURL=.*\s*$/, "");
  });
  const { mappings }: { readonly mappings: string } = JSON.parse(map);
  if (diagnostics.length === 0) return { source: file.fileName, text, mappings };
  throw new Error(
    ts.formatDiagnostics(diagnostics, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: () => root,
      getNewLine: () => "\n",
    }),
  );
}

/** The declarations that an entry's declaration reaches, by path. Types of internal code are left out. */
function declareReached(): ReadonlyMap<string, Declaration> {
  const declarations = new Map<string, Declaration>();
  const reach = (source: string): void => {
    const place = placeOf(source);
    const file = program.getSourceFile(source);
    if (place === undefined || file === undefined || declarations.has(place)) return;
    const declaration = declare(file);
    declarations.set(place, declaration);
    for (const [, , path] of declaration.text.matchAll(SPECIFIER)) reach(join(dirname(source), `${path}.ts`));
  };
  for (const source of sources) reach(source);
  return declarations;
}

/** The declaration for a module system, and its map, by path. */
function filesOf(file: string, text: string, { source, mappings }: Declaration): readonly [string, string][] {
  const map = `${basename(file)}.map`;
  const sources = [relative(dirname(file), source)];
  return [
    [file, `${text}//# sourceMappingURL=${map}\n`],
    [`${file}.map`, JSON.stringify({ version: 3, file: basename(file), sources, names: [], mappings })],
  ];
}

/** Those of deleted sources. */
function removeOthers(written: ReadonlyMap<string, string>): void {
  for (const { folder } of packages) {
    const dist = join(folder, "dist");
    const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).map((file) => join(dist, file));
    for (const file of files)
      if (/\.d\.c?ts(?:\.map)?$/.test(file) && !written.has(file)) rmSync(file, { force: true });
  }
}

const declarations = declareReached();
const files = new Map(
  [...declarations].flatMap(([place, declaration]) => [
    ...filesOf(`${place}.d.ts`, declaration.text.replaceAll(SPECIFIER, "$1$2.js"), declaration),
    // `.cjs` is longer than `.ts`, so columns behind an import in the same line are off by one. That changes no target.
    ...filesOf(`${place}.d.cts`, declaration.text.replaceAll(SPECIFIER, "$1$2.cjs"), declaration),
  ]),
);
for (const [file, text] of files) writeChanged(file, text);
removeOthers(files);
console.log(`${declarations.size} declarations of ${packages.length} packages are written.`);
