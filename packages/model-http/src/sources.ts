import type { ContentPart, SourcePart, TextRange } from "@jaf/memory";

/** A source as a service reports it, and where the text cites it. */
export interface Citation {
  readonly sourceType: "url" | "document";
  readonly url?: string | undefined;
  readonly title?: string | undefined;
  readonly filename?: string | undefined;
  readonly mediaType?: string | undefined;
  /** The service's id of a document. It tells documents apart that have the same title. */
  readonly documentId?: string | undefined;
  /** The positions in the text part. Absent: the service doesn't say where. */
  readonly range?: TextRange | undefined;
}

/** Collects the sources of one message. */
export interface Sources {
  /**
   * Returns the `source` parts to put behind a text part: one for each distinct source, in the order of the citations,
   * with all ranges. A source that an earlier text part has cited gets the same id again.
   */
  readonly partsOf: (citations: readonly Citation[]) => readonly SourcePart[];
}

/** Creates the collection of one message. Ids are `source-1`, `source-2` and so on. */
export function collectSources(): Sources {
  const ids = new Map<string, string>();
  const idOf = (key: string): string => {
    const id = ids.get(key) ?? `source-${ids.size + 1}`;
    ids.set(key, id);
    return id;
  };
  return {
    partsOf: (citations) => {
      const parts = new Map<string, { readonly citation: Citation; readonly ranges: TextRange[] }>();
      for (const citation of citations) {
        const { sourceType, url, title, filename, documentId, range } = citation;
        const key = url ?? JSON.stringify([sourceType, documentId ?? title, filename]);
        const part = parts.get(key) ?? { citation, ranges: [] };
        parts.set(key, part);
        if (
          range !== undefined &&
          range.start < range.end &&
          !part.ranges.some((other) => isSameRange(range, other))
        )
          part.ranges.push(range);
      }
      return [...parts].map(([key, { citation, ranges }]) => partOf(idOf(key), citation, ranges));
    },
  };
}

const isSameRange = (one: TextRange, other: TextRange): boolean =>
  one.start === other.start && one.end === other.end;

function partOf(id: string, citation: Citation, ranges: readonly TextRange[]): SourcePart {
  const { sourceType, url, title, filename, mediaType } = citation;
  const known = Object.entries({ url, title, filename, mediaType }).filter(
    ([, value]) => value !== undefined && value !== "",
  );
  return {
    type: "source",
    id,
    sourceType,
    ...Object.fromEntries(known),
    ...(ranges.length === 0 ? {} : { ranges }),
  };
}

/** Checks whether a part is a source. Sources are for readers, so no request contains them. */
export const isSource = (part: ContentPart): part is SourcePart => part.type === "source";
