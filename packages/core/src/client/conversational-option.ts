import { idIssue, parseOptions } from "@jaf/memory/engine";
import * as z from "zod";

/** Which stored conversation a prompt belongs to. */
export interface Conversational {
  /** The id of the user. Falsy: nobody is signed in, so nothing is loaded and nothing is stored. */
  readonly user: string | false | null | undefined;
  /** The id of an existing conversation of this user. Default: the one thread that the user has with the agent. */
  readonly id?: string | undefined;
  /** Keeps the threads of one user with several agents apart. Default: the agent's name. */
  readonly agent?: string | undefined;
  /** How many of the last messages the model sees at most, from 1. All messages stay stored. Default: all. */
  readonly historyLimit?: number | undefined;
}

/** A {@link Conversational}, or nobody: then prompts are stateless, and `continue` is refused. */
export type MaybeConversational = Conversational | false | null | undefined;

/** An agent's declaration: a fixed value, or a function of the context of each prompt. */
export type ConversationalDeclaration<Ctx> =
  | MaybeConversational
  | ((context: Readonly<Ctx>) => MaybeConversational | Promise<MaybeConversational>);

export const idSchema = z.string().superRefine((id, context) => {
  const issue = idIssue("id", id);
  if (issue !== undefined) context.addIssue({ code: "custom", message: `expected ${issue.expected}` });
});

const userSchema = z
  .unknown()
  .refine((user) => !user || idIssue("user", user) === undefined, {
    error: "expected the id of a user, or a falsy value for nobody",
  })
  .transform((user) => (typeof user === "string" && user !== "" ? user : undefined))
  .optional();

const conversationalSchema = z.strictObject({
  user: userSchema,
  // An id may come from a browser: one that is invalid is refused in the same way as one of another user's conversation.
  id: z.string().optional(),
  agent: idSchema.optional(),
  historyLimit: z.int().min(1).optional(),
});

export type ParsedConversational = z.output<typeof conversationalSchema>;

/** The option or the declaration is present and names nobody. Not the same as neither being present. */
export const NOBODY: ParsedConversational = Object.freeze({});

/** A falsy value is {@link NOBODY}. Throws a `TypeError` that names the field. */
export const parseConversational = (value: unknown, what: string): ParsedConversational =>
  value ? parseOptions(conversationalSchema, value, what) : NOBODY;

/** The agent's declaration for this context, called on the agent. Rejects with what it throws. */
export async function declaredBy<Ctx>(
  agent: { readonly conversational?: ConversationalDeclaration<Ctx> },
  context: Readonly<Ctx>,
): Promise<ParsedConversational> {
  const declared =
    typeof agent.conversational === "function" ? await agent.conversational(context) : agent.conversational;
  return parseConversational(declared, "Agent.conversational");
}
