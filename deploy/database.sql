-- Run once, by the image of PostgreSQL, on a new volume: the role of the store is no superuser, since row-level security
-- does not bind those.
\getenv password SATCHEL_DB_PASSWORD
CREATE ROLE satchel LOGIN PASSWORD :'password';
CREATE DATABASE satchel OWNER satchel ENCODING 'UTF8' TEMPLATE template0;
\connect satchel
CREATE EXTENSION vector;
