import type { Fields } from "@jaf/model-http";

/** A message as it goes over the wire, further fields included. */
export type WireMessage = Fields & { readonly role: "system" | "user" | "assistant" | "tool" };

export type WirePart = Fields & { readonly type: string };

export const textPart = (text: string): WirePart => ({ type: "text", text });
