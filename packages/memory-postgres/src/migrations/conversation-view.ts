import { BODY, ddl } from "./table-group.ts";

/** The view that shows each conversation with its messages in one row. */
export const view = ddl`
-- Converts a stored message into jsonb. jsonb refuses an escaped NUL and an escaped unpaired surrogate, so both become
-- U+FFFD. (Paired surrogates are not stored escaped.) During the conversion, chr(1) stands for an escaped backslash,
-- because JSON text can't contain it. So a backslash in a message, followed by "u0000", stays as it is. A text that
-- isn't JSON is shown as a string; an application that encrypts messages may store such texts.
CREATE OR REPLACE FUNCTION "public"."__p___shown"(p_body text) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE STRICT
AS ${BODY}
BEGIN
	-- The prefix E makes the meaning of backslashes independent of the session's settings.
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

-- Shows each conversation in one row, for people's own SQL. Expired conversations and children of
-- conversations are left out.
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
WHERE (conversation.expires_at IS NULL OR conversation.expires_at > statement_timestamp())
	AND conversation.parent_id IS NULL;
`;
