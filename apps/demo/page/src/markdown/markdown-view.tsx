import { useMemo } from "preact/hooks";
import { markdownOf } from "./markdown.ts";

export function Markdown({ text }: { readonly text: string }) {
  const shown = useMemo(() => markdownOf(text), [text]);
  return <div class="markdown">{shown}</div>;
}
