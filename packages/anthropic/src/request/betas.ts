import { type Fields, fieldsOf, listOf } from "@jaf/model-http";
import type { WireBlock, WireTurn } from "../wire.ts";

const FILES = "files-api-2025-04-14";
const BINDING = "thinking-binding-controls-2026-08-01";

/** The beta features that a request can't do without: files by id, and what becomes of thinking whose prefix has changed. */
export function neededBetas(thinking: Fields, turns: readonly WireTurn[]): readonly string[] {
  const hasFile = turns.some(({ content }) => content.some(isFile));
  return [...(hasFile ? [FILES] : []), ...(thinking["block_binding"] === undefined ? [] : [BINDING])];
}

const isFile = ({ source, content }: WireBlock | Fields): boolean =>
  fieldsOf(source)["type"] === "file" || listOf(content).some((inner) => isFile(fieldsOf(inner)));
