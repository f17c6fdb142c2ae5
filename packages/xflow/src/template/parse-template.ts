/** A text of the state: fixed text and jq expressions, in order. */
export type Template = readonly TemplatePart[];

export type TemplatePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "expression"; readonly expression: string };

export type ParsedTemplate =
  | { readonly ok: true; readonly template: Template }
  | { readonly ok: false; readonly expected: string };

const OPENING = "${";

/**
 * Finds the `${ … }` in a text. An expression ends at the brace that matches, so objects, strings with braces and comments are
 * allowed in it.
 */
export function parseTemplate(source: string): ParsedTemplate {
  const parts: TemplatePart[] = [];
  let from = 0;
  for (let at = source.indexOf(OPENING); at !== -1; at = source.indexOf(OPENING, from)) {
    const start = at + OPENING.length;
    const end = endOfExpression(source, start);
    if (end === undefined)
      return { ok: false, expected: `a "}" that ends the template from character ${at + 1}` };
    const expression = source.slice(start, end).trim();
    if (expression === "") return { ok: false, expected: "a jq expression between the braces" };
    if (at > from) parts.push({ type: "text", text: source.slice(from, at) });
    parts.push({ type: "expression", expression });
    from = end + 1;
  }
  if (from < source.length || parts.length === 0) parts.push({ type: "text", text: source.slice(from) });
  return { ok: true, template: parts };
}

/** The expression, if the text is one template and nothing else. */
export function soleExpression(template: Template): string | undefined {
  const [part] = template;
  return template.length === 1 && part?.type === "expression" ? part.expression : undefined;
}

const CLOSING: Readonly<Record<string, string>> = { "{": "}", "(": ")", "[": "]" };

/** The index of the brace that ends the expression. In jq, a string may hold expressions, as `\( … )`. */
function endOfExpression(source: string, start: number): number | undefined {
  const open: string[] = ["}"];
  for (let at = start; at < source.length; at += 1) {
    const character = source.charAt(at);
    const expected = open.at(-1);
    if (expected === '"') {
      if (character === '"') open.pop();
      if (character === "\\") {
        at += 1;
        if (source.charAt(at) === "(") open.push(")");
      }
    } else if (character === expected) {
      open.pop();
      if (open.length === 0) return at;
    } else if (character === '"') open.push('"');
    else if (character === "#") at = lineEnd(source, at);
    else if (CLOSING[character] !== undefined) open.push(CLOSING[character]);
  }
  return undefined;
}

const lineEnd = (source: string, at: number): number => {
  const end = source.indexOf("\n", at);
  return end === -1 ? source.length : end;
};
