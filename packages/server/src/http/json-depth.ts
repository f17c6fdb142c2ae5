/** As deep as the memory providers store values. */
const MAX_DEPTH = 200;

/** Whether a JSON text nests deeper than anything that could be stored. Deeper values would exhaust the stack of who walks them. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"') index = endOfString(text, index);
    else if (character === "[" || character === "{") {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (character === "]" || character === "}") depth -= 1;
  }
  return false;
}

function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === "\\" ? 2 : 1;
  return index;
}
