/** The lines that differ between two pages of declarations, under the first line of the declaration that has them. */
export function declarationChanges(before: string, after: string): readonly string[] {
  const [old, current] = [byFirstLine(before), byFirstLine(after)];
  return [...new Set([...old.keys(), ...current.keys()])].flatMap((head) => {
    const [was, is] = [old.get(head), current.get(head)];
    if (was === is) return [];
    const lines = [...linesOnlyIn(was, is, "-"), ...linesOnlyIn(is, was, "+")];
    if (was === undefined || is === undefined) return lines;
    return [`  ${head}`, ...(lines.length > 0 ? lines : ["  the same lines in another order"])];
  });
}

function byFirstLine(page: string): ReadonlyMap<string, string> {
  const texts = page
    .replaceAll(/^~~~.*\n/gm, "")
    .trimEnd()
    .split(/\n\n+/);
  return new Map(texts.map((text) => [text.split("\n", 1)[0] ?? "", text]));
}

function linesOnlyIn(text = "", other = "", sign: string): readonly string[] {
  if (text === "") return [];
  const rest = other.split("\n");
  return text.split("\n").flatMap((line) => {
    const index = rest.indexOf(line);
    if (index === -1) return [`${sign} ${line}`];
    rest.splice(index, 1);
    return [];
  });
}
