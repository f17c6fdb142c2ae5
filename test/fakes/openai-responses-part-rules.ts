import { type Json, type JsonObject, objectsOf, Refusal, textOf } from "./service.ts";

export const INPUT_PARTS = ["input_text", "input_image", "input_file"];
const PARTS: Readonly<Record<string, readonly string[]>> = {
  user: INPUT_PARTS,
  system: INPUT_PARTS,
  developer: INPUT_PARTS,
  assistant: ["output_text", "refusal"],
};

/** Checks the parts of a message item. Throws a {@link Refusal}. */
export function checkMessage({ role, content }: JsonObject, where: string): void {
  const parts = PARTS[String(role)];
  if (parts === undefined)
    throw new Refusal(
      `Invalid value: '${role}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`,
    );
  if (typeof content === "string") return;
  checkParts(content, parts, `${where}.content`);
}

export function checkParts(content: Json | undefined, parts: readonly string[], where: string): void {
  for (const [index, part] of objectsOf(content, where).entries()) {
    const { type } = part;
    if (!parts.includes(String(type)))
      throw new Refusal(
        `Invalid value: '${type}'. Supported values are: ${parts.map((name) => `'${name}'`).join(", ")}.`,
      );
    if (type === "input_text" || type === "output_text") textOf(part["text"], `${where}[${index}].text`);
    const sources = SOURCES[String(type)]?.filter((name) => typeof part[name] === "string");
    if (sources !== undefined && sources.length !== 1)
      throw new Refusal(`Invalid '${where}[${index}]': expected one of an id, an address and data.`);
    if (typeof part["file_data"] === "string" && typeof part["filename"] !== "string")
      throw new Refusal(`Missing required parameter: '${where}[${index}].filename'.`);
  }
}

/** The fields for a part's bytes. It must have one of them. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  input_image: ["file_id", "image_url"],
  input_file: ["file_id", "file_url", "file_data"],
};
