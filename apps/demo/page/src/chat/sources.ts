/** A source of a reply, as the page shows it. */
export interface Source {
  /** Its number in the reply, from 1. */
  readonly number: number;
  readonly title: string;
  /** The address, if it is of the web. */
  readonly href: string | undefined;
  /** The host of the address, or the file's name. */
  readonly place: string | undefined;
}

export interface LooseSource {
  readonly id?: unknown;
  readonly url?: unknown;
  readonly title?: unknown;
  readonly filename?: unknown;
  readonly ranges?: unknown;
}

interface Sources {
  /** Returns the number of a source. A source that is there already keeps its number. */
  readonly numberOf: (source: LooseSource) => number;
  /** The sources in the order of their numbers. */
  readonly all: () => readonly Source[];
}

/** Numbers the sources of a reply. */
export function createSources(): Sources {
  const byKey = new Map<string, Source>();
  return {
    numberOf: (source) => {
      const { id, url, title, filename } = source;
      const key = typeof url === "string" ? url : JSON.stringify([id, title, filename]);
      const known = byKey.get(key) ?? shownSource(source, byKey.size + 1);
      byKey.set(key, known);
      return known.number;
    },
    all: () => [...byKey.values()],
  };
}

function shownSource({ url, title, filename }: LooseSource, number: number): Source {
  const href = typeof url === "string" ? webAddress(url) : undefined;
  const place = href === undefined ? filename : new URL(href).host;
  const names = [title, filename, href === undefined ? url : place];
  const name = names.find((each): each is string => typeof each === "string" && each.trim() !== "");
  const shown = name ?? "A document";
  return {
    number,
    title: shown,
    href,
    place: typeof place === "string" && place !== shown ? place : undefined,
  };
}

/** Returns an address of the web; `undefined` if it is none. */
function webAddress(url: string): string | undefined {
  try {
    const { protocol, href } = new URL(url);
    return protocol === "https:" || protocol === "http:" ? href : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns where a source is cited in a text: the ends of its ranges, each once. A mark at the beginning of a line would
 * change the line's Markdown, so a range ends before white space.
 */
export function citedAt({ ranges }: LooseSource, text: string): readonly number[] {
  const ends = (Array.isArray(ranges) ? ranges : []).flatMap((range: { readonly end?: unknown } | null) =>
    typeof range?.end === "number" && Number.isInteger(range.end) && range.end <= text.length
      ? [wholeEnd(text, range.end)]
      : [],
  );
  return [...new Set(ends)].filter((end) => end > 0);
}

/** Returns the position without white space before it, and not between the halves of a character. */
function wholeEnd(text: string, end: number): number {
  let at = (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end;
  while (at > 0 && /\s/.test(text[at - 1] ?? "")) at -= 1;
  return at;
}
