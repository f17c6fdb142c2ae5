/** Prints declarations for readers of a package's types: without bodies, comments, private members and files. */
import ts from "typescript";

export interface Declarations {
  /** The declarations of the name as a value, as a type, or both. */
  readonly print: (symbol: ts.Symbol, name: string) => string;
  /** The symbols in the printed text so far. */
  readonly named: ReadonlySet<ts.Symbol>;
}

const FLAGS =
  ts.NodeBuilderFlags.NoTruncation |
  ts.NodeBuilderFlags.MultilineObjectLiterals |
  ts.NodeBuilderFlags.WriteClassExpressionAsTypeLiteral |
  // Otherwise a type that isn't in scope would be printed as an import of a file.
  ts.NodeBuilderFlags.UseAliasDefinedOutsideCurrentScope |
  ts.NodeBuilderFlags.IgnoreErrors;

const printer = ts.createPrinter({ removeComments: true });
const emptyFile = ts.createSourceFile("empty.ts", "", ts.ScriptTarget.Latest);

const contains = (node: ts.Node, test: (node: ts.Node) => boolean): boolean =>
  test(node) || (ts.forEachChild(node, (child) => contains(child, test) || undefined) ?? false);

const indented = (lines: readonly string[]): string =>
  lines.map((line) => `    ${line.replaceAll("\n", "\n    ")}\n`).join("");

const isPrivate = (declaration: ts.Declaration): boolean =>
  (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Private) !== 0;

function modifiersOf(member: ts.Declaration): string {
  const flags = ts.getCombinedModifierFlags(member);
  return [
    flags & ts.ModifierFlags.Protected ? "protected " : "",
    flags & ts.ModifierFlags.Static ? "static " : "",
    flags & ts.ModifierFlags.Readonly || ts.isGetAccessor(member) ? "readonly " : "",
  ].join("");
}

export function createDeclarations(checker: ts.TypeChecker): Declarations {
  const named = new Set<ts.Symbol>();

  const collect = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) {
      // The compiler's own identifiers have their symbol.
      const made = (node as { readonly symbol?: ts.Symbol }).symbol;
      const symbol = made ?? checker.getSymbolAtLocation(node);
      if (symbol !== undefined)
        named.add(symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
    }
    ts.forEachChild(node, collect);
  };

  const textOf = (node: ts.Node): string => {
    collect(node);
    return printer
      .printNode(ts.EmitHint.Unspecified, node, node.pos < 0 ? emptyFile : node.getSourceFile())
      .replace(/^export (declare )?/, "");
  };

  /** As written in the source, if it is. */
  const typeText = (type: ts.Type, place: ts.Node | undefined, flags = FLAGS): string => {
    const node = checker.typeToTypeNode(type, place, flags);
    if (node === undefined) throw new Error(`No text for the type ${checker.typeToString(type)}.`);
    return textOf(node);
  };

  const constructorText = (signature: ts.Signature): string => {
    const kind = ts.SyntaxKind.ConstructSignature;
    const node = checker.signatureToSignatureDeclaration(signature, kind, signature.getDeclaration(), FLAGS);
    if (node === undefined) throw new Error("No text for a constructor.");
    return textOf(node);
  };

  const memberText = (member: ts.Symbol): readonly string[] => {
    const declaration = member.valueDeclaration;
    const name = declaration && ts.getNameOfDeclaration(declaration);
    if (!name || ts.isPrivateIdentifier(name) || isPrivate(declaration)) return [];
    const optional = member.flags & ts.SymbolFlags.Optional ? "?" : "";
    const type = typeText(checker.getTypeOfSymbol(member), declaration);
    return [`${modifiersOf(declaration)}${name.getText()}${optional}: ${type};`];
  };

  const classText = (declaration: ts.ClassDeclaration, symbol: ts.Symbol): string => {
    const parameters = declaration.typeParameters?.map(textOf).join(", ");
    const heritage = declaration.heritageClauses?.map((clause) => ` ${textOf(clause).trim()}`).join("") ?? "";
    const constructors = checker
      .getTypeOfSymbol(symbol)
      .getConstructSignatures()
      .filter(({ declaration: own }) => !own || !isPrivate(own));
    const members = [...(symbol.exports?.values() ?? []), ...(symbol.members?.values() ?? [])];
    const lines = [
      ...constructors.map(constructorText),
      ...members.filter(({ flags }) => flags & ts.SymbolFlags.ClassMember).flatMap(memberText),
    ];
    return `class ${symbol.name}${parameters ? `<${parameters}>` : ""}${heritage} {\n${indented(lines)}}`;
  };

  /** As written in the source, except for types that are taken from values, which are resolved. */
  const aliasText = (declaration: ts.TypeAliasDeclaration, symbol: ts.Symbol): string => {
    if (declaration.typeParameters || !contains(declaration.type, ts.isTypeQueryNode))
      return textOf(declaration);
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    return `type ${symbol.name} = ${typeText(type, declaration, FLAGS | ts.NodeBuilderFlags.InTypeAlias)};`;
  };

  const print = (symbol: ts.Symbol, name: string): string => {
    const parts = (symbol.declarations ?? []).flatMap((declaration) => {
      if (ts.isClassDeclaration(declaration)) return [classText(declaration, symbol)];
      if (ts.isTypeAliasDeclaration(declaration)) return [aliasText(declaration, symbol)];
      return ts.isInterfaceDeclaration(declaration) ? [textOf(declaration)] : [];
    });
    if (symbol.flags & (ts.SymbolFlags.Variable | ts.SymbolFlags.Function))
      parts.push(`const ${name}: ${typeText(checker.getTypeOfSymbol(symbol), symbol.valueDeclaration)};`);
    if (parts.length === 0) throw new Error(`${name} is of a kind that can't be printed yet.`);
    // The order of a merged interface's parts depends on the order in which the compiler reads their files.
    return parts.sort().join("\n");
  };

  return { print, named };
}
