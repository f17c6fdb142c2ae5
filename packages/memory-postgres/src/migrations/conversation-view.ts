import { BODY, ddl } from "./table-group.ts";

/** The view that shows conversations with their messages. */
export const view = ddl`
-- A stored message as jsonb, which refuses an escaped NUL and an escaped unpaired surrogate, the only surrogates that
-- are stored escaped: both are shown as U+FFFD. Chr(1), which JSON text can't hold, stands for an escaped backslash
-- meanwhile, so that the text of a backslash, a "u" and four zeros stays what it is. What isn't JSON, as an application
-- that encrypts messages may store it, is shown as a string.
CREATE OR REPLACE FUNCTION "public"."__p___shown"(p_body text) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE STRICT
AS ${BODY}
BEGIN
	-- Quoted with an E, whatever the session says of backslashes.
	IF p_body ~ E'\\\\u(0000|d[89a-f])' THEN
		RETURN replace(
			regexp_replace(
				replace(p_body, E'\\\\', chr(1)),
				E'\\\\u(0000|d[89a-f][0-9a-f]{2})', E'\\\\ufffd', 'g'
			),
			chr(1), E'\\\\'
		)::jsonb;
	END IF;
	RETURN p_body::jsonb;
EXCEPTION WHEN invalid_text_representation OR untranslatable_character THEN
	RETURN to_jsonb(p_body);
END
${BODY};

-- Conversations in one row each, for people's own SQL. Expired ones are not in it.
CREATE OR REPLACE VIEW "__p___with_messages" AS
SELECT
	conversation.conversation_id,
	conversation.user_id,
	coalesce(
		(
			SELECT jsonb_agg("public"."__p___shown"(message.body) ORDER BY message.seq)
			FROM "__p___messages" AS message
			WHERE message.conversation_id = conversation.conversation_id
				AND message.seq > conversation.last_seq - conversation.total_messages
				AND message.seq <= conversation.last_seq
		),
		'[]'
	) AS messages,
	conversation.metadata || conversation.run_metadata AS metadata,
	conversation.created_at,
	conversation.updated_at,
	conversation.last_activity
FROM "__p__" AS conversation
WHERE conversation.expires_at IS NULL OR conversation.expires_at > statement_timestamp();
`;
