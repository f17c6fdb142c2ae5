import { sha256 } from "@jaf/memory/internal";

/** Model services accept no longer names. */
const MAX_LENGTH = 64;
const HASH_LENGTH = 8;
const VALID = /^[a-zA-Z0-9_-]+$/;

/** The names of the tools that this package adds to those of a server. */
export const ADDED_TOOLS = ["list_resources", "read_resource", "list_prompts", "get_prompt"] as const;

export type AddedTool = (typeof ADDED_TOOLS)[number];

const RESERVED: ReadonlySet<string> = new Set(ADDED_TOOLS);

/** The name that the model gets for a tool that this package adds. */
export const addedToolName = (server: string, name: AddedTool): string => `${server}__${name}`;

/**
 * Returns the name that the model gets for a tool of a server: `<server>__<tool>`. If model services don't accept that
 * name, or if this package has a tool of it, some of it is replaced by a hash. The name depends on nothing but the two
 * names, so stored calls find their tools whatever else the server offers.
 */
export function toolName(server: string, tool: string): string {
  const name = `${server}__${tool}`;
  if (VALID.test(tool) && name.length <= MAX_LENGTH && !RESERVED.has(tool)) return name;
  const hash = sha256(tool, "hex").slice(0, HASH_LENGTH);
  const readable = name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, MAX_LENGTH - HASH_LENGTH - 1);
  return `${readable}_${hash}`;
}
