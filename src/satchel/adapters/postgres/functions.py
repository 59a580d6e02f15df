"""What the stores ask of their database and PostgreSQL does not have by itself: functions in the store's schema."""

from satchel.domain.media import ANY_MEDIA, KIND_OF_ENDING, MediaKind

# How many matches of a question are scored. More than that match only words that say little.
MAX_SCORED = 5_000
# With fewer matches than this, a question's more common words are searched too.
ENOUGH_SCORED = 200

# The kind of a medium, as `domain.media` tells it.
_KINDS = ", ".join(f"('{ending}', '{kind}')" for ending, kind in KIND_OF_ENDING.items())
_NAMED = ", ".join(f"'{kind}'" for kind in MediaKind)

FUNCTIONS = (
    rf"""
    CREATE FUNCTION media_kind(ref text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
        SELECT CASE WHEN strpos(ref, ':') > 0 AND lower(split_part(ref, ':', 1)) IN ({_NAMED})
            THEN lower(split_part(ref, ':', 1))
            ELSE coalesce((SELECT kind FROM (VALUES {_KINDS}) AS known (ending, kind) WHERE ending = lower(substring(
                regexp_replace(replace(split_part(split_part(ref, '#', 1), '?', 1), '\', '/'), '^.*/', '')
                FROM '\.([^.]*)$'))), '{MediaKind.OTHER}') END
    $$
    """,
    f"""
    CREATE FUNCTION has_media(refs text, wanted text) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
        SELECT wanted = '{ANY_MEDIA}' AND json_array_length(refs::json) > 0 OR EXISTS (
            SELECT 1 FROM json_array_elements_text(refs::json) AS ref WHERE media_kind(ref) = wanted)
    $$
    """,
    """
    CREATE FUNCTION instr(text, text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS 'SELECT strpos($1, $2)::bigint'
    """,
    """
    CREATE FUNCTION substr(text, bigint, bigint) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS 'SELECT substr($1, $2::integer, $3::integer)'
    """,
    """
    CREATE FUNCTION max(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS 'SELECT greatest($1, $2)'
    """,
    """
    CREATE FUNCTION min(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS 'SELECT least($1, $2)'
    """,
    """
    CREATE FUNCTION json_valid(text) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS 'SELECT $1 IS JSON'
    """,
    """
    CREATE FUNCTION json_extract(text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$ SELECT CASE WHEN $1 IS JSON THEN $1::json #>> string_to_array(substr($2, 3), '.') END $$
    """,
    "CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = text, FUNCTION = json_extract)",
    """
    CREATE FUNCTION json_item(text, integer) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS 'SELECT $1::json ->> $2'
    """,
    "CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = integer, FUNCTION = json_item)",
    """
    CREATE FUNCTION each_item(text) RETURNS TABLE (value text) LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS 'SELECT json_array_elements_text($1::json) COLLATE "C"'
    """,
    # A pattern of a shell as a regular expression; a bracket means the same in both, apart from its negation.
    r"""
    CREATE FUNCTION glob(path text, pattern text) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
        SELECT path ~ ('^(?:' || replace(replace(replace(
            regexp_replace(pattern, '([\\.+(){}|^$])', '\\\1', 'g'), '[\^', '[^'), '*', '.*'), '?', '.') || ')$')
    $$
    """,
    "CREATE AGGREGATE total(double precision) (SFUNC = float8pl, STYPE = double precision, INITCOND = '0')",
    """
    CREATE FUNCTION weight_of(letter text, weights double precision[]) RETURNS double precision
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT weights[ascii(letter) - 64]'
    """,
)

# Functions of words, which are created again in a store of an earlier version.
WORD_FUNCTIONS = (
    # The scope is one of the words of a text, so it moves with the record.
    """
    CREATE OR REPLACE FUNCTION words_follow_scope() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
        words_table text :=
            CASE WHEN TG_TABLE_NAME = 'passages' THEN to_json(NEW) ->> 'lane' || '_text' ELSE TG_TABLE_NAME || '_text' END;
        moved bigint;
    BEGIN
        EXECUTE format(
            'UPDATE %I SET words = ts_delete(words, $1) || array_to_tsvector(ARRAY[$2]) WHERE row = $3', words_table
        ) USING chr(1) || OLD.scope, chr(1) || NEW.scope, NEW.row;
        GET DIAGNOSTICS moved = ROW_COUNT;
        IF moved = 0 THEN RETURN NULL; END IF;
        INSERT INTO word_counts (name, word, rows)
        VALUES (words_table, chr(1) || OLD.scope, -moved), (words_table, chr(1) || NEW.scope, moved)
        ON CONFLICT (name, word) DO UPDATE SET rows = word_counts.rows + excluded.rows;
        RETURN NULL;
    END $$
    """,
    # How many texts have a term. A phrase of words that are all common is not looked up: it has as many as its rarest word.
    # A temporary full text has no counts.
    f"""
    CREATE OR REPLACE FUNCTION rows_with(words_table text, term json) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
    DECLARE
        counted boolean := to_regclass('pg_temp.' || quote_ident(words_table)) IS NULL;
        found bigint;
    BEGIN
        IF counted THEN
            -- A look-up for each word: joined, the whole table of counts would be read.
            SELECT min(coalesce((SELECT c.rows FROM word_counts c WHERE c.name = words_table AND c.word = token), 0))
            INTO found FROM json_array_elements_text(term -> 'tokens') AS token;
            IF json_array_length(term -> 'tokens') = 1 OR found = 0 OR found > {MAX_SCORED} THEN RETURN found; END IF;
        END IF;
        EXECUTE format('SELECT count(*) FROM %I WHERE words @@ $1', words_table)
        INTO found USING (term ->> 'query')::tsquery;
        RETURN found;
    END $$
    """,
    """
    CREATE OR REPLACE FUNCTION rarity(known bigint, holding bigint) RETURNS double precision
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS 'SELECT greatest(1e-6, ln(greatest(1e-300, (known - holding + 0.5)::double precision / (holding + 0.5))))'
    """,
    # BM25 as FTS5 computes it, in the same order, so that equal texts have equal scores. Of a question with many matches, those of its rarest terms are scored.
    f"""
    CREATE OR REPLACE FUNCTION match_words(words_table text, weights double precision[], asked json)
    RETURNS TABLE ("row" bigint, score double precision) LANGUAGE plpgsql STABLE ROWS 50 AS $$
    DECLARE
        terms json[] := ARRAY(SELECT json_array_elements(asked -> 'terms'));
        within tsquery := (asked ->> 'within')::tsquery;
        held bigint[] := '{{}}';
        known bigint; reached bigint; mean double precision; term json; sought tsquery;
        among tsquery; candidates bigint := 0; likely bigint; place integer; hits tid[];
        search text := format(
            'SELECT array_agg(found.place) FROM (SELECT w.ctid AS place FROM %I w WHERE w.words @@ $1 '
            'ORDER BY w.row DESC LIMIT {MAX_SCORED}) AS found', words_table);
    BEGIN
        EXECUTE 'SELECT rows, words / greatest(rows, 1)::double precision FROM full_text_sizes WHERE name = $1'
        INTO known, mean USING words_table;
        IF known IS NULL OR known = 0 OR cardinality(terms) = 0 THEN RETURN; END IF;
        FOREACH term IN ARRAY terms LOOP
            held := held || rows_with(words_table, term);
        END LOOP;
        -- The rows that can match at all, and the share of a term's rows that is probably among them.
        reached := known;
        IF within IS NOT NULL THEN
            SELECT least(known, coalesce(
                sum((SELECT c.rows FROM word_counts c WHERE c.name = words_table AND c.word = scope)), 0
            )) INTO reached FROM json_array_elements_text(asked -> 'scopes') AS scope;
        END IF;
        FOR place IN SELECT n FROM generate_subscripts(held, 1) AS n WHERE held[n] > 0 ORDER BY held[n], n LOOP
            likely := ceil(held[place] * reached::double precision / known);
            IF among IS NOT NULL AND reached > {MAX_SCORED} AND candidates + likely > {MAX_SCORED} THEN
                -- The rarest terms may be those of other scopes.
                EXECUTE search INTO hits USING CASE WHEN within IS NULL THEN among ELSE among && within END;
                EXIT WHEN coalesce(cardinality(hits), 0) >= {ENOUGH_SCORED};
            END IF;
            hits := NULL;
            candidates := candidates + likely;
            sought := (terms[place] ->> 'query')::tsquery;
            among := CASE WHEN among IS NULL THEN sought ELSE among || sought END;
        END LOOP;
        IF among IS NULL THEN RETURN; END IF;
        IF hits IS NULL THEN
            EXECUTE search INTO hits USING CASE WHEN within IS NULL THEN among ELSE among && within END;
        END IF;
        -- Without a phrase no places are compared: how much a word counts in a text is stored beside its words.
        IF NOT EXISTS (SELECT 1 FROM unnest(terms) AS one WHERE json_array_length(one -> 'tokens') > 1) THEN
            RETURN QUERY EXECUTE format($query$
                SELECT f.row, sum(
                    a.idf * (f.frequency * 2.2 / (f.frequency + 1.2 * (0.25 + 0.75 * f.length / $4))) ORDER BY a.n
                )
                FROM %I w, unnest($1, $2, $3) WITH ORDINALITY AS a (token, sought, idf, n),
                    LATERAL (SELECT w.row, w.length, coalesce((w.unusual -> a.token)::double precision, w.usual) AS frequency) AS f
                WHERE w.ctid = ANY ($5) AND w.words @@ a.sought GROUP BY f.row
            $query$, words_table) USING
                ARRAY(SELECT terms[n] -> 'tokens' ->> 0 FROM generate_subscripts(held, 1) AS n WHERE held[n] > 0 ORDER BY n),
                ARRAY(SELECT (terms[n] ->> 'query')::tsquery FROM generate_subscripts(held, 1) AS n WHERE held[n] > 0 ORDER BY n),
                ARRAY(SELECT rarity(known, held[n]) FROM generate_subscripts(held, 1) AS n WHERE held[n] > 0 ORDER BY n),
                mean, hits;
            RETURN;
        END IF;
        RETURN QUERY EXECUTE format($query$
            WITH asked AS MATERIALIZED (
                SELECT n, ARRAY(SELECT json_array_elements_text($1[n] -> 'tokens')) AS tokens,
                    rarity($3, $2[n]) AS idf
                FROM generate_subscripts($2, 1) AS n WHERE $2[n] > 0
            ), hits AS MATERIALIZED (
                SELECT w.row, w.length, w.words FROM %I w WHERE w.ctid = ANY ($5)
            ), places AS MATERIALIZED (
                SELECT h.row, u.lexeme, p.position, weight_of(p.weight, $6) AS weight
                FROM hits h, unnest(h.words) AS u, unnest(u.positions, u.weights) AS p (position, weight)
                WHERE u.lexeme IN (SELECT unnest(tokens) FROM asked)
            ), single AS (
                SELECT p.row, a.n, sum(p.weight) AS frequency FROM asked a JOIN places p ON p.lexeme = a.tokens[1]
                WHERE cardinality(a.tokens) = 1 GROUP BY p.row, a.n
            ), phrases AS (
                SELECT p.row, a.n, sum(p.weight) AS frequency FROM asked a JOIN places p ON p.lexeme = a.tokens[1]
                WHERE cardinality(a.tokens) > 1 AND NOT EXISTS (
                    SELECT 1 FROM generate_series(2, cardinality(a.tokens)) AS k WHERE NOT EXISTS (
                        SELECT 1 FROM places q
                        WHERE q.row = p.row AND q.lexeme = a.tokens[k] AND q.position = p.position + k - 1
                    )
                ) GROUP BY p.row, a.n
            )
            SELECT h.row, sum(
                a.idf * (f.frequency * 2.2 / (f.frequency + 1.2 * (0.25 + 0.75 * h.length / $4))) ORDER BY a.n
            )
            FROM (SELECT * FROM single UNION ALL SELECT * FROM phrases) AS f
            JOIN hits h ON h.row = f.row JOIN asked a ON a.n = f.n GROUP BY h.row
        $query$, words_table) USING terms, held, known, mean, hits, weights;
    END $$
    """,
)
