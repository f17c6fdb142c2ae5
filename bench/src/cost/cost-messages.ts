import * as z from "zod";
import { storeKinds } from "../options.ts";

export const setupSchema = z.object({ kind: z.enum(storeKinds), url: z.string() });
export type CostSetup = z.infer<typeof setupSchema>;

export type CostRequest =
  | { readonly type: "usage" }
  /** Runs turns in the server's process, without HTTP, in all conversations at the same time. */
  | { readonly type: "run"; readonly conversations: readonly UsersConversation[]; readonly turns: number };

interface UsersConversation {
  readonly userId: string;
  readonly conversationId: string;
}

/** What the server's process has used since its start. */
export const usageSchema = z.object({ cpuMs: z.number(), statements: z.number() });
export const timesSchema = z.object({ times: z.array(z.number()) });
