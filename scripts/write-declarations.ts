/**
 * Writes the declarations of all packages into their `dist` with one run of the compiler: a `.d.ts` for each source that an
 * entry reaches, and the same as a `.d.cts` for CommonJS. Run `turbo run build` first, which writes the code.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { compileSources, publishedPackages } from "./published-packages.ts";

const root = new URL("..", import.meta.url).pathname;

const packages = publishedPackages(root);
const sources = packages.flatMap(({ entries, imported }) => [
  ...entries.map(({ source }) => source),
  ...imported,
]);
const program = compileSources(root, sources, {
  noEmit: false,
  declaration: true,
  emitDeclarationOnly: true,
});

/** Matches a specifier of another source in a declaration: `from "./x.ts"`, `import("./x.ts")`. */
const SPECIFIER = /(\b(?:from|import)\s*\(?\s*")(\.{1,2}\/[^"]+)\.ts(?=")/g;

/** The path of the declaration of a package's source, without its ending. */
function placeOf(source: string): string | undefined {
  const folder = packages.find((each) => source.startsWith(join(each.folder, "src/")))?.folder;
  return folder && join(folder, "dist", relative(join(folder, "src"), source)).replace(/\.ts$/, "");
}

function declare(file: ts.SourceFile): string {
  let declaration = "";
  const { diagnostics } = program.emit(file, (_path, text) => {
    declaration = text;
  });
  if (diagnostics.length === 0) return declaration;
  throw new Error(
    ts.formatDiagnostics(diagnostics, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: () => root,
      getNewLine: () => "\n",
    }),
  );
}

/** The declarations that an entry's declaration reaches, by path. Types of internal code are left out. */
function declareReached(): ReadonlyMap<string, string> {
  const declarations = new Map<string, string>();
  const reach = (source: string): void => {
    const place = placeOf(source);
    const file = program.getSourceFile(source);
    if (place === undefined || file === undefined || declarations.has(place)) return;
    const text = declare(file);
    declarations.set(place, text);
    for (const [, , path] of text.matchAll(SPECIFIER)) reach(join(dirname(source), `${path}.ts`));
  };
  for (const source of sources) reach(source);
  return declarations;
}

/** The declarations of deleted sources. */
function removeDeclarations({ folder }: { readonly folder: string }): void {
  const dist = join(folder, "dist");
  for (const file of readdirSync(dist, { recursive: true, encoding: "utf8" }))
    if (/\.d\.c?ts$/.test(file)) rmSync(join(dist, file));
}

for (const each of packages) removeDeclarations(each);
const declarations = declareReached();
for (const [place, text] of declarations) {
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(`${place}.d.ts`, text.replaceAll(SPECIFIER, "$1$2.js"));
  writeFileSync(`${place}.d.cts`, text.replaceAll(SPECIFIER, "$1$2.cjs"));
}
console.log(`${declarations.size} declarations of ${packages.length} packages are written.`);
