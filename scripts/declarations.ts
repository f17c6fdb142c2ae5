/** Declarations as a reader of a package's types sees them: without bodies, comments, private members and files. */
import ts from "typescript";

export interface Declarations {
  /** What the name stands for, as a value, as a type, or both. */
  readonly print: (symbol: ts.Symbol, name: string) => string;
  /** What was named in that which has been printed. */
  readonly named: ReadonlySet<ts.Symbol>;
}

const FLAGS =
  ts.NodeBuilderFlags.NoTruncation |
  ts.NodeBuilderFlags.MultilineObjectLiterals |
  ts.NodeBuilderFlags.WriteClassExpressionAsTypeLiteral |
  ts.NodeBuilderFlags.IgnoreErrors;

const HIDDEN = ts.ModifierFlags.Private;

const printer = ts.createPrinter({ removeComments: true });
const blank = ts.createSourceFile("blank.ts", "", ts.ScriptTarget.Latest);

export const isValue = (symbol: ts.Symbol): boolean => (symbol.flags & ts.SymbolFlags.Value) !== 0;

const contains = (node: ts.Node, test: (node: ts.Node) => boolean): boolean =>
  test(node) || (ts.forEachChild(node, (child) => contains(child, test) || undefined) ?? false);

const indented = (lines: readonly string[]): string =>
  lines.map((line) => `    ${line.replaceAll("\n", "\n    ")}\n`).join("");

const modifiersOf = (member: ts.Declaration): string => {
  const flags = ts.getCombinedModifierFlags(member);
  return [
    flags & ts.ModifierFlags.Protected ? "protected " : "",
    flags & ts.ModifierFlags.Static ? "static " : "",
    flags & ts.ModifierFlags.Abstract ? "abstract " : "",
    flags & ts.ModifierFlags.Readonly || ts.isGetAccessor(member) ? "readonly " : "",
  ].join("");
};

/** A field of a class, also one that a parameter of the constructor declares. */
const isMember = (member: ts.Declaration): member is ts.NamedDeclaration =>
  ts.isPropertyDeclaration(member) ||
  ts.isMethodDeclaration(member) ||
  ts.isGetAccessor(member) ||
  ts.isParameter(member);

export function createDeclarations(checker: ts.TypeChecker): Declarations {
  const named = new Set<ts.Symbol>();

  const resolve = (symbol: ts.Symbol): ts.Symbol =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

  const collect = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) {
      // The compiler leaves the symbol with the identifiers that it makes.
      const made = (node as { readonly symbol?: ts.Symbol }).symbol;
      const symbol = node.pos < 0 ? made : checker.getSymbolAtLocation(node);
      if (symbol !== undefined) named.add(resolve(symbol));
    }
    ts.forEachChild(node, collect);
  };

  const printed = (node: ts.Node): string => {
    collect(node);
    return printer
      .printNode(ts.EmitHint.Unspecified, node, node.pos < 0 ? blank : node.getSourceFile())
      .replace(/^export (default )?(declare )?/, "");
  };

  const typeText = (type: ts.Type, flags = FLAGS): string => {
    const node = checker.typeToTypeNode(type, undefined, flags);
    if (node === undefined) throw new Error(`No text for the type ${checker.typeToString(type)}.`);
    return printed(node);
  };

  const signatureText = (signature: ts.Signature): string => {
    const kind = ts.SyntaxKind.ConstructSignature;
    const node = checker.signatureToSignatureDeclaration(signature, kind, undefined, FLAGS);
    if (node === undefined) throw new Error("No text for a constructor.");
    const declaration = signature.getDeclaration() as ts.SignatureDeclaration | undefined;
    const isProtected = declaration && ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Protected;
    return (isProtected ? "protected " : "") + printed(node);
  };

  const memberText = (member: ts.NamedDeclaration): string | undefined => {
    if (!member.name || ts.isPrivateIdentifier(member.name)) return undefined;
    if (ts.getCombinedModifierFlags(member) & HIDDEN) return undefined;
    const symbol = checker.getSymbolAtLocation(member.name);
    if (symbol === undefined) return undefined;
    const optional = symbol.flags & ts.SymbolFlags.Optional ? "?" : "";
    const { escapedName } = symbol;
    const name = String(escapedName).startsWith("__@") ? member.name.getText() : symbol.name;
    return `${modifiersOf(member)}${name}${optional}: ${typeText(checker.getTypeOfSymbol(symbol))};`;
  };

  const classText = (declaration: ts.ClassDeclaration, symbol: ts.Symbol, name: string): string => {
    const parameters = declaration.typeParameters?.map(printed).join(", ");
    const heritage = declaration.heritageClauses?.map((clause) => ` ${printed(clause)}`).join("") ?? "";
    const constructors = checker
      .getTypeOfSymbol(symbol)
      .getConstructSignatures()
      .filter(({ declaration: own }) => !own || !(ts.getCombinedModifierFlags(own) & HIDDEN));
    const parameterFields = declaration.members
      .filter(ts.isConstructorDeclaration)
      .flatMap((member) =>
        member.parameters.filter((each) => ts.isParameterPropertyDeclaration(each, member)),
      );
    const fields = [...declaration.members, ...parameterFields]
      .filter(isMember)
      .map(memberText)
      .filter((text) => text !== undefined);
    const abstract = ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Abstract ? "abstract " : "";
    const lines = [...constructors.map(signatureText), ...new Set(fields)];
    return `${abstract}class ${name}${parameters ? `<${parameters}>` : ""}${heritage} {\n${indented(lines)}}`;
  };

  /** As it was written, but for what is taken of values: that is shown as what it comes to. */
  const aliasText = (declaration: ts.TypeAliasDeclaration, symbol: ts.Symbol, name: string): string => {
    if (declaration.typeParameters || !contains(declaration.type, ts.isTypeQueryNode))
      return printed(declaration);
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    return `type ${name} = ${typeText(type, FLAGS | ts.NodeBuilderFlags.InTypeAlias)};`;
  };

  const print = (symbol: ts.Symbol, name: string): string => {
    const declarations = symbol.declarations ?? [];
    const parts = declarations.flatMap((declaration) => {
      if (ts.isClassDeclaration(declaration)) return [classText(declaration, symbol, name)];
      if (ts.isTypeAliasDeclaration(declaration)) return [aliasText(declaration, symbol, name)];
      if (ts.isInterfaceDeclaration(declaration) || ts.isEnumDeclaration(declaration))
        return [printed(declaration)];
      return [];
    });
    if (symbol.flags & (ts.SymbolFlags.Variable | ts.SymbolFlags.Function))
      parts.push(`const ${name}: ${typeText(checker.getTypeOfSymbol(symbol))};`);
    if (parts.length === 0) throw new Error(`${name} is of a kind that isn't shown yet.`);
    return parts.join("\n");
  };

  return { print, named };
}
