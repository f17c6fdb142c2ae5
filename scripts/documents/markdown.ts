/** Reads and replaces the links of Markdown texts, and lists their anchors as GitHub makes them. */
import GithubSlugger from "github-slugger";
import type { Definition, Image, Link, Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { toString as textOf } from "mdast-util-to-string";
import { visit } from "unist-util-visit";

export interface MarkdownLink {
  readonly url: string;
  readonly line: number;
  /** Where the URL begins in the text. */
  readonly start: number;
}

const trees = new Map<string, Root>();

/** Each text is parsed once. */
function treeOf(text: string): Root {
  const tree = trees.get(text) ?? fromMarkdown(text);
  trees.set(text, tree);
  return tree;
}

function linkOf(text: string, { url, position }: Link | Image | Definition): readonly MarkdownLink[] {
  const [from, to] = [position?.start.offset ?? 0, position?.end.offset ?? 0];
  // The URL is the last part of the node, except for a title behind it. An address in angle brackets is its own text.
  const start = text.slice(from, to).lastIndexOf(url);
  if (start < 0) return [];
  return [{ url, line: position?.start.line ?? 0, start: from + start }];
}

/** All links, images and link definitions, in order. Code is left out. */
export function linksIn(text: string): readonly MarkdownLink[] {
  const links: MarkdownLink[] = [];
  visit(treeOf(text), (node) => {
    if (node.type === "link" || node.type === "image" || node.type === "definition")
      links.push(...linkOf(text, node));
  });
  return links.sort((a, b) => a.start - b.start);
}

export function replaceLinks(text: string, replace: (url: string) => string): string {
  let replaced = "";
  let end = 0;
  for (const { url, start } of linksIn(text)) {
    replaced += text.slice(end, start) + replace(url);
    end = start + url.length;
  }
  return replaced + text.slice(end);
}

/** What can follow `#` in a link to the text. */
export function anchorsIn(text: string): ReadonlySet<string> {
  const slugger = new GithubSlugger();
  const anchors = new Set<string>();
  visit(treeOf(text), "heading", (heading) => void anchors.add(slugger.slug(textOf(heading))));
  return anchors;
}

/** The text of the first heading. */
export function titleOf(text: string): string {
  let title: string | undefined;
  visit(treeOf(text), "heading", (heading) => {
    title ??= textOf(heading);
  });
  if (title === undefined) throw new Error("A page needs a heading.");
  return title;
}
