/** Reads the exported types of the published packages from the sources, as text. */
import ts from "typescript";
import { createDeclarations, type Declarations } from "./declarations.ts";
import { compileSources, type Entry, publishedPackages } from "./published-packages.ts";

export interface PublicTypes {
  readonly entry: Entry;
  /** Their names. */
  readonly values: readonly string[];
  /** The `@example`s in the doc comments of the values that the package itself declares, by the values' names. */
  readonly examples: ReadonlyMap<string, string>;
  readonly text: string;
}

type Export = readonly [name: string, symbol: ts.Symbol];

const isValue = (symbol: ts.Symbol): boolean => (symbol.flags & ts.SymbolFlags.Value) !== 0;
// Not by locale, because the order must be the same on every machine.
const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : Number(a > b);

function exportsOf(checker: ts.TypeChecker, file: ts.SourceFile | undefined): readonly Export[] {
  const module = file && checker.getSymbolAtLocation(file);
  if (module === undefined) return [];
  return checker
    .getExportsOfModule(module)
    .map((symbol): Export => {
      const isAlias = symbol.flags & ts.SymbolFlags.Alias;
      return [symbol.name, isAlias ? checker.getAliasedSymbol(symbol) : symbol];
    })
    .sort(byName);
}

/** Whether it is declared at the top level of a module. */
function isOfModule(symbol: ts.Symbol): boolean {
  const declaration = symbol.declarations?.[0];
  if (declaration === undefined || ts.isImportSpecifier(declaration)) return false;
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  return ts.isSourceFile(statement.parent);
}

const examplesOf = (symbol: ts.Symbol, checker: ts.TypeChecker): string =>
  symbol
    .getJsDocTags(checker)
    .filter(({ name }) => name === "example")
    .map(({ text }) => ts.displayPartsToString(text))
    .join("\n");

// Fenced by tildes, because snippets between backticks are compiled.
const block = (texts: readonly string[]): string => `~~~ts\n${texts.join("\n\n")}\n~~~\n`;

export function readPublicTypes(root: string): readonly PublicTypes[] {
  const entries = publishedPackages(root).flatMap((each) => each.entries);
  const sources = entries.map(({ source }) => source);
  // Otherwise the members of a union are printed in the order in which the compiler finds them.
  const program = compileSources(root, sources, { stableTypeOrdering: true });
  const checker = program.getTypeChecker();
  const exported = new Map(
    entries.map((entry) => [entry, exportsOf(checker, program.getSourceFile(entry.source))]),
  );

  const folderOf = (symbol: ts.Symbol): string | undefined => {
    const file = symbol.declarations?.[0]?.getSourceFile().fileName;
    return entries.find(({ folder }) => file?.startsWith(`${folder}/src/`))?.folder;
  };

  /** The first entry of its package that exports it. */
  const homes = new Map<ts.Symbol, Entry>();
  for (const [entry, names] of exported) {
    for (const [, symbol] of names)
      if (!homes.has(symbol) && folderOf(symbol) === entry.folder) homes.set(symbol, entry);
  }

  const exportText = ([name, symbol]: Export, entry: Entry, { print }: Declarations): string => {
    const home = homes.get(symbol) ?? entry;
    if (home === entry) return print(symbol, name);
    return `export ${isValue(symbol) ? "" : "type "}{ ${name} } from "${home.specifier}";`;
  };

  /** Types that the exports need and no entry exports. They are public as well. */
  const unexportedTexts = ({ print, named }: Declarations): readonly string[] => {
    const texts: (readonly [name: string, text: string])[] = [];
    // Printing adds to the set during the iteration.
    for (const symbol of named) {
      if (homes.has(symbol) || folderOf(symbol) === undefined || !isOfModule(symbol)) continue;
      texts.push([symbol.name, print(symbol, symbol.name)]);
    }
    return texts.sort(byName).map(([, text]) => text);
  };

  return [...exported].map(([entry, names]) => {
    const declarations = createDeclarations(checker);
    const texts = names.map((each) => exportText(each, entry, declarations));
    const unexported = unexportedTexts(declarations);
    const values = names.filter(([, symbol]) => isValue(symbol));
    const own = values.filter(([, symbol]) => folderOf(symbol) === entry.folder);
    const examples = new Map(own.map(([name, symbol]) => [name, examplesOf(symbol, checker)]));
    const title = `# ${entry.specifier}\n\nWritten by \`pnpm surface --write\`.\n\n`;
    const rest = unexported.length > 0 ? `\n## Used above but not exported\n\n${block(unexported)}` : "";
    return { entry, values: values.map(([name]) => name), examples, text: title + block(texts) + rest };
  });
}
