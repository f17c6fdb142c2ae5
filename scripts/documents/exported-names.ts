/** The names that each entry of the packages exports, with the first sentence of their doc comments. */
import ts from "typescript";
import { compileSources, type Entry, publishedPackages } from "../published-packages.ts";

export interface ExportedName {
  readonly name: string;
  readonly isValue: boolean;
  readonly sentence: string;
}

export interface EntryNames {
  readonly entry: Entry;
  readonly names: readonly ExportedName[];
}

const sentences = new Intl.Segmenter("en", { granularity: "sentence" });

function firstSentence(comment: string): string {
  const [paragraph = ""] = comment.split(/:?\n(?:\n|- )/);
  const text = paragraph
    .replaceAll(/\{@link (\S+?)\}/g, "`$1`")
    .replaceAll(/\s+/g, " ")
    .trim();
  for (const { segment } of sentences.segment(text)) return segment.trim();
  return "";
}

export function exportedNames(root: string): readonly EntryNames[] {
  const entries = publishedPackages(root).flatMap((each) => each.entries);
  // Names and comments need no libraries.
  const options: ts.CompilerOptions = { noLib: true, types: [] };
  const program = compileSources(
    root,
    entries.map(({ source }) => source),
    options,
  );
  const checker = program.getTypeChecker();

  const namesOf = (file: ts.SourceFile | undefined): readonly ExportedName[] => {
    const module = file && checker.getSymbolAtLocation(file);
    const symbols = module ? checker.getExportsOfModule(module) : [];
    return symbols
      .map((symbol): ExportedName => {
        const original = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
        const comment = ts.displayPartsToString(original.getDocumentationComment(checker));
        const isValue = (original.flags & ts.SymbolFlags.Value) !== 0;
        return { name: symbol.name, isValue, sentence: firstSentence(comment) };
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  };
  return entries.map((entry) => ({ entry, names: namesOf(program.getSourceFile(entry.source)) }));
}
