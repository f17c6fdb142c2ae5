import type { ContentPart } from "@jaf/memory";
import { type Fields, fieldsOf, picked, textField } from "@jaf/model-http";
import type { AiSdkSourceDocumentPart, AiSdkSourceUrlPart, UIJsonObject, UIMetadata } from "./ui-message.ts";

type UISource = AiSdkSourceUrlPart | AiSdkSourceDocumentPart;

const FIELDS = ["id", "sourceType", "url", "title", "mediaType", "filename", "ranges"] as const;

/**
 * Converts a source into a UI part. What the UI part can't express (e.g. the places in the text, `ranges`) is in its
 * `providerMetadata.jaf`, so that {@link sourceIn} returns the same source.
 */
export function uiSource(part: ContentPart, metadata: UIMetadata | undefined): UISource {
  const shown = shownSource(part);
  const expressed = expressedIn({ ...shown });
  const jaf: UIJsonObject = {};
  for (const name of FIELDS)
    if (expressed[name] !== part[name]) jaf[name] = (part[name] ?? null) as UIJsonObject[string];
  const providerMetadata = { ...metadata, ...(Object.keys(jaf).length === 0 ? {} : { jaf }) };
  return Object.keys(providerMetadata).length === 0 ? shown : { ...shown, providerMetadata };
}

function shownSource(part: ContentPart): UISource {
  const [id, url, title, filename] = ["id", "url", "title", "filename"].map((name) => textField(part, name));
  // Pages make links of URLs, and a model can write any, e.g. `javascript:`.
  if (url !== undefined && /^https?:/i.test(url)) {
    return { type: "source-url", sourceId: id ?? url, url, ...(title === undefined ? {} : { title }) };
  }
  const named = title ?? filename ?? "";
  return {
    type: "source-document",
    sourceId: id ?? named,
    mediaType: textField(part, "mediaType") ?? "application/octet-stream",
    title: named,
    ...(filename === undefined ? {} : { filename }),
  };
}

/** Returns the source that the UI part itself expresses. */
function expressedIn({ type, sourceId: id, ...fields }: Fields): Fields {
  return type === "source-url"
    ? { id, sourceType: "url", ...picked(fields, ["url", "title"]) }
    : { id, sourceType: "document", ...picked(fields, ["title", "mediaType", "filename"]) };
}

/** Converts a UI part of a client back into a source. Ignores all metadata but JAF's fields of the source. */
export function sourceIn(part: Fields): ContentPart {
  const { ranges, ...own } = fieldsOf(fieldsOf(part["providerMetadata"])["jaf"]);
  const fields = { ...expressedIn(part), ...own };
  const texts = FIELDS.filter((name) => typeof fields[name] === "string");
  const areRanges = Array.isArray(ranges) && ranges.every(isRange);
  return { type: "source", ...picked(fields, texts), ...(areRanges ? { ranges } : {}) };
}

function isRange(range: unknown): boolean {
  const { start, end, ...more } = fieldsOf(range);
  return Number.isInteger(start) && Number.isInteger(end) && Object.keys(more).length === 0;
}
