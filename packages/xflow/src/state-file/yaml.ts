import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from "yaml";
import {
  type AgentStateIssue,
  fieldName,
  MAX_DEPTH,
  MAX_VALUES,
  type Path,
  type Position,
  type ReadSource,
  TOO_DEEP,
} from "./issues.ts";

/**
 * Parses YAML 1.2, which includes JSON. Resolves YAML aliases one value at a time. This detects aliases that contain themselves,
 * or that multiply the data, before they use much memory.
 */
export function readYaml(text: string): ReadSource {
  const lines = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const failed = (message: string, field = "", position?: Position): ReadSource => ({
    ok: false,
    issues: [{ field, ...position, message }],
  });

  let document: Document.Parsed;
  try {
    document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      schema: "core",
      uniqueKeys: false,
    });
  } catch (thrown) {
    // The parser is recursive.
    if (thrown instanceof RangeError) return failed(TOO_DEEP);
    throw thrown;
  }
  const found = [...document.errors, ...document.warnings];
  // The parser can report its own stack overflow as an error of the text.
  if (found.some(({ message }) => message.startsWith("Maximum call stack"))) return failed(TOO_DEEP);
  if (found.length > 0) {
    const issues = found.map(
      ({ message, pos }): AgentStateIssue => ({
        field: "",
        ...at(pos[0]),
        message: `not valid YAML: ${message}`,
      }),
    );
    return { ok: false, issues: issues.slice(0, MAX_SYNTAX_ISSUES) };
  }

  const positions = new Map<string, Position>();
  let targets: ReadonlyMap<Node, Node>;
  try {
    targets = targetsOf(document);
    const data = toValue(document.contents, []);
    return { ok: true, source: { data, positionOf } };
  } catch (thrown) {
    if (thrown instanceof RangeError) return failed(TOO_DEEP);
    if (!(thrown instanceof Unreadable)) throw thrown;
    return failed(
      thrown.message,
      fieldName(thrown.path),
      thrown.node.range ? at(thrown.node.range[0]) : undefined,
    );
  }

  function positionOf(path: Path): Position | undefined {
    const known = positions.get(JSON.stringify(path));
    return known ?? (path.length === 0 ? undefined : positionOf(path.slice(0, -1)));
  }

  function toValue(node: Node | null, path: Path, resolving: readonly Node[] = []): unknown {
    if (node === null) return null;
    if (path.length > MAX_DEPTH) throw new Unreadable(TOO_DEEP, path, node);
    if (positions.size >= MAX_VALUES) throw new Unreadable(tooMany, path, node);
    const key = JSON.stringify(path);
    if (node.range && !positions.has(key)) positions.set(key, at(node.range[0]));
    if (isAlias(node)) {
      const target = targets.get(node);
      if (target === undefined) throw new Unreadable("no anchor before it has this name", path, node);
      if (resolving.includes(target)) throw new Unreadable("this alias contains itself", path, node);
      return toValue(target, path, [...resolving, target]);
    }
    const holders = [...resolving, node];
    if (isSeq<Node>(node)) return node.items.map((item, index) => toValue(item, [...path, index], holders));
    if (isMap<Node, Node | null>(node)) {
      const keys = new Set<string>();
      return Object.fromEntries(
        node.items.map(({ key: name, value }) => {
          const step = keyOf(name, path);
          if (keys.has(step)) throw new Unreadable("this key is there twice", [...path, step], name);
          keys.add(step);
          if (name.range) positions.set(JSON.stringify([...path, step]), at(name.range[0]));
          return [step, toValue(value, [...path, step], holders)];
        }),
      );
    }
    return scalarOf(node, path);
  }
}

/** Returns the target of each YAML alias: the last node before the alias whose anchor has the same name. */
function targetsOf(document: Document.Parsed): ReadonlyMap<Node, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Node, Node>();
  visit(document, {
    Alias: (_, alias) => {
      const target = anchors.get(alias.source);
      if (target !== undefined) targets.set(alias, target);
    },
    Value: (_, node) => {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return targets;
}

const MAX_SYNTAX_ISSUES = 20;
const tooMany = `more than ${MAX_VALUES} values, counting each use of an alias; an agent state needs fewer`;

class Unreadable extends Error {
  constructor(
    message: string,
    readonly path: Path,
    readonly node: Node,
  ) {
    super(message);
  }
}

function keyOf(node: Node, path: Path): string {
  const name = isScalar(node) ? node.value : undefined;
  if (typeof name !== "string") throw new Unreadable("expected a string as key", path, node);
  if (name === "__proto__") throw new Unreadable("__proto__ can't be a key", path, node);
  return name;
}

function scalarOf(node: Node, path: Path): unknown {
  const value: unknown = isScalar(node) ? node.value : undefined;
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new Unreadable("expected a JSON value", path, node);
}
