import * as z from "zod";

export const anything = z.looseObject({});
export const time = z.iso.datetime();
export const id = z.string().min(1).max(255);
/** Schema of the id of a tool call. That of an agent that runs as a tool consists of several ids. */
export const callId = z.string().min(1).max(4_000);
export const position = z.int().min(0).describe("Position of a message in its conversation, from 0.");
export const version = z.int().min(0).describe("The version of the conversation that the client saw.");

/** Schema of an integer from 1 to `to` in a query string. */
export const count = (to: number) => z.coerce.number<string>().pipe(z.int().min(1).max(to));
export const number = z.coerce.number<string>().pipe(z.int().min(0));

export const turnState = z.enum(["running", "waiting", "ended"]);
export const message = z.looseObject({ role: z.string(), content: z.unknown() });

/** Schema of a tool call that waits for an approval or for the client. */
export const interruption = z.looseObject({
  type: z.enum(["approval", "client_tool"]),
  toolCallId: z.string(),
  toolName: z.string(),
  args: z.unknown(),
  arguments: z.string(),
  agentName: z.string(),
  approvalId: z.string().optional(),
  expiresAt: time.optional(),
  changed: anything
    .optional()
    .describe("What has changed about the call since its approval was first requested."),
});
