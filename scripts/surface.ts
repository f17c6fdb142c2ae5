/**
 * Holds the types that every entry of every published package exports against the text in its folder `api`, so that a change of
 * them is read in review. `--write` takes the sources' as they are, `--count` prints how much each entry exports. Reads the
 * sources, so nothing need be built; where in a package something stands makes no difference.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { createDeclarations, isValue } from "./declarations.ts";

const root = new URL("..", import.meta.url).pathname;
/** Of the differences, how many lines are printed. */
const SHOWN_LINES = 40;

interface Entry {
  /** As it is imported, e.g. `@jaf/memory/adapter`. */
  readonly specifier: string;
  /** Of its package. */
  readonly folder: string;
  readonly source: string;
  /** The file with its surface. */
  readonly page: string;
}

interface Surface {
  readonly values: number;
  readonly types: number;
  readonly text: string;
}

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const folders = readdirSync(join(root, "packages"))
  .map((name) => join(root, "packages", name))
  .filter((folder) => existsSync(join(folder, "package.json")))
  .sort(byText);

const entries = folders.flatMap((folder): readonly Entry[] => {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (manifest.private === true) return [];
  return Object.entries<{ readonly "@jaf/source": string }>(manifest.exports).map(([name, conditions]) => ({
    specifier: manifest.name + name.slice(1),
    folder,
    source: join(folder, conditions["@jaf/source"]),
    page: join(folder, "api", `${name === "." ? "index" : name.slice(2).replaceAll("/", "-")}.md`),
  }));
});

function createProgram(): ts.Program {
  const config = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile).config;
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, root);
  // The order of a union would otherwise depend on which file the compiler came to first.
  const stable = { ...options, noEmit: true, stableTypeOrdering: true };
  return ts.createProgram(
    entries.map(({ source }) => source),
    stable,
  );
}

const program = createProgram();
const checker = program.getTypeChecker();
const resolved = (symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

/** What each entry exports, by name. */
const exported = new Map(
  entries.map((entry) => {
    const file = program.getSourceFile(entry.source);
    const module = file && checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error(`${entry.source} is no module.`);
    const names = checker
      .getExportsOfModule(module)
      .map((symbol): readonly [string, ts.Symbol] => [symbol.name, resolved(symbol)]);
    return [entry, names.sort(([a], [b]) => byText(a, b))];
  }),
);
const published = new Set([...exported.values()].flat().map(([, symbol]) => symbol));

const folderOf = (symbol: ts.Symbol): string | undefined => {
  const file = symbol.declarations?.[0]?.getSourceFile().fileName;
  return folders.find((folder) => file?.startsWith(`${folder}/src/`));
};

/** Declared by a statement of a module, and not within a type or function. */
function isOfModule(symbol: ts.Symbol): boolean {
  const declaration = symbol.declarations?.[0];
  if (declaration === undefined || ts.isImportSpecifier(declaration)) return false;
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  return ts.isSourceFile(statement.parent);
}

/** The first entry of the other package that the symbol comes from. */
function otherPackageOf(symbol: ts.Symbol, { folder }: Entry): string | undefined {
  const home = folderOf(symbol);
  if (home === folder) return undefined;
  return entries.find(
    (entry) => entry.folder === home && exported.get(entry)?.some(([, each]) => each === symbol),
  )?.specifier;
}

/** What the exported names and no entry exports: it is part of the surface as well. */
function printUnpublished({ print, named }: ReturnType<typeof createDeclarations>): readonly string[] {
  const texts: string[] = [];
  // The set grows while it is gone through.
  for (const symbol of named) {
    if (published.has(symbol) || folderOf(symbol) === undefined || !isOfModule(symbol)) continue;
    texts.push(print(symbol, symbol.name));
  }
  return texts.sort(byText);
}

// Fenced by tildes, as the snippets between backticks are compiled.
const block = (texts: readonly string[]): string => `~~~ts\n${texts.join("\n\n")}\n~~~\n`;

function surfaceOf(entry: Entry): Surface {
  const declarations = createDeclarations(checker);
  const names = exported.get(entry) ?? [];
  const texts = names.map(([name, symbol]) => {
    const other = otherPackageOf(symbol, entry);
    if (other === undefined) return declarations.print(symbol, name);
    return `export ${isValue(symbol) ? "" : "type "}{ ${name} } from "${other}";`;
  });
  const unpublished = printUnpublished(declarations);
  const values = names.filter(([, symbol]) => isValue(symbol)).length;
  const types = names.length - values;
  return {
    values,
    types,
    text: [
      `# ${entry.specifier}\n\nWritten by \`surface --write\`. Exported values: ${values}, types: ${types}.\n\n`,
      block(texts),
      ...(unpublished.length > 0
        ? [`\n## Named above, and exported by no entry\n\n${block(unpublished)}`]
        : []),
    ].join(""),
  };
}

/** The lines that only one of the texts has, which is short, and enough to see what changed. */
function differences(before: string, after: string): readonly string[] {
  const only = (sign: string, lines: readonly string[], others: readonly string[]): readonly string[] => {
    const rest = new Map<string, number>();
    for (const line of others) rest.set(line, (rest.get(line) ?? 0) + 1);
    return lines.flatMap((line) => {
      const left = rest.get(line) ?? 0;
      rest.set(line, left - 1);
      return left > 0 ? [] : [`${sign} ${line}`];
    });
  };
  const [old, current] = [before.split("\n"), after.split("\n")];
  return [...only("-", old, current), ...only("+", current, old)];
}

const pagesOf = (folder: string): readonly string[] => {
  const pages = join(folder, "api");
  return existsSync(pages) ? readdirSync(pages).map((name) => join(pages, name)) : [];
};

const write = process.argv.includes("--write");
const surfaces = entries.map((entry) => ({ entry, ...surfaceOf(entry) }));
const known = new Set(entries.map(({ page }) => page));
let changed = 0;
const report = (page: string, lines: readonly string[]): void => {
  changed += 1;
  console.error([relative(root, page), ...lines.slice(0, SHOWN_LINES)].join("\n"));
  if (lines.length > SHOWN_LINES) console.error(`and ${lines.length - SHOWN_LINES} lines more`);
};

for (const page of folders.flatMap(pagesOf).filter((each) => !known.has(each))) {
  if (write) rmSync(page);
  else report(page, ["is of no entry."]);
}
for (const { entry, text } of surfaces) {
  const before = existsSync(entry.page) ? readFileSync(entry.page, "utf8") : "";
  if (before === text) continue;
  if (write) {
    mkdirSync(dirname(entry.page), { recursive: true });
    writeFileSync(entry.page, text);
  } else report(entry.page, differences(before, text));
}
if (process.argv.includes("--count")) {
  for (const { entry, values, types } of surfaces) {
    console.log(`${entry.specifier}: ${values} values, ${types} types`);
  }
}
if (changed > 0) {
  console.error("The exported types have changed. If that is meant: npx pnpm@12.21.0 surface --write");
  process.exitCode = 1;
} else console.log(`${surfaces.length} entries export what is written in packages/*/api.`);
