-- Conversations in one row each, for people's own SQL. Expired ones are not in it.
--
-- jsonb refuses an escaped NUL and an escaped unpaired surrogate, the only surrogates that are stored escaped;
-- both are shown as U+FFFD. Chr(1), which JSON text can't hold, stands for an escaped backslash meanwhile, so that
-- the text of a backslash, a "u" and four zeros stays what it is.
CREATE VIEW "__p___with_messages" AS
SELECT
	conversation.conversation_id,
	conversation.user_id,
	coalesce(
		(
			SELECT jsonb_agg(
				CASE WHEN message.body ~ '\\u(0000|d[89a-f])' THEN
					replace(
						regexp_replace(
							replace(message.body, '\\', chr(1)),
							'\\u(0000|d[89a-f][0-9a-f]{2})', '\\ufffd', 'g'
						),
						chr(1), '\\'
					)::jsonb
				ELSE message.body::jsonb END
				ORDER BY message.seq
			)
			FROM "__p___messages" AS message
			WHERE message.conversation_id = conversation.conversation_id
		),
		'[]'
	) AS messages,
	conversation.metadata,
	conversation.created_at,
	conversation.updated_at,
	conversation.last_activity
FROM "__p__" AS conversation
WHERE conversation.expires_at IS NULL OR conversation.expires_at > now();
