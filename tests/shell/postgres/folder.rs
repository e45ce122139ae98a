//! The same graph as a folder of LightRAG and as rows of its tables.

use quick_xml::events::Event;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// What a folder of LightRAG holds, as its files have it.
pub struct Folder {
    chunks: Map<String, Value>,
    nodes: Vec<(String, Map<String, Value>)>,
    edges: Vec<([String; 2], Map<String, Value>)>,
}

impl Folder {
    pub fn read(at: &Path) -> Folder {
        let chunks = fs::read_to_string(at.join("kv_store_text_chunks.json")).unwrap();
        let graph = fs::read_to_string(at.join("graph_chunk_entity_relation.graphml")).unwrap();
        let mut folder = Folder {
            chunks: serde_json::from_str(&chunks).unwrap(),
            nodes: Vec::new(),
            edges: Vec::new(),
        };
        let mut reader = quick_xml::Reader::from_str(&graph);
        reader.config_mut().expand_empty_elements = true;
        let mut keys: HashMap<String, String> = HashMap::new();
        let (mut key, mut on_edge) = (String::new(), false);
        loop {
            match reader.read_event().unwrap() {
                Event::Start(tag) => {
                    let get = |name: &str| {
                        let found = tag.try_get_attribute(name).unwrap();
                        found.map_or_else(String::new, |found| {
                            found.unescape_value().unwrap().into_owned()
                        })
                    };
                    match tag.local_name().into_inner() {
                        b"key" => drop(keys.insert(get("id"), get("attr.name"))),
                        b"node" => {
                            on_edge = false;
                            folder.nodes.push((get("id"), Map::new()));
                        }
                        b"edge" => {
                            on_edge = true;
                            folder
                                .edges
                                .push(([get("source"), get("target")], Map::new()));
                        }
                        b"data" => key = keys[&get("key")].clone(),
                        _ => {}
                    }
                }
                Event::Text(text) => folder.add(&key, &text.xml10_content().unwrap(), on_edge),
                Event::GeneralRef(reference) => {
                    let name = String::from_utf8(reference.to_vec()).unwrap();
                    let text = quick_xml::escape::unescape(&format!("&{name};"))
                        .unwrap()
                        .into_owned();
                    folder.add(&key, &text, on_edge);
                }
                Event::End(tag) if tag.local_name().into_inner() == b"data" => key.clear(),
                Event::Eof => return folder,
                _ => {}
            }
        }
    }

    fn add(&mut self, key: &str, text: &str, on_edge: bool) {
        if key.is_empty() {
            return;
        }
        let data = match on_edge {
            true => self.edges.last_mut().map(|(_, data)| data),
            false => self.nodes.last_mut().map(|(_, data)| data),
        };
        let value = data.unwrap().entry(key).or_insert(json!(""));
        *value = json!(value.as_str().unwrap().to_owned() + text);
    }

    /// A question that names what the graph has most of.
    pub fn question(&self) -> String {
        let of = |data: &Map<String, Value>| {
            data.get("source_id")
                .map_or(0, |ids| ids.as_str().unwrap().len())
        };
        let most = self.nodes.iter().max_by_key(|(_, data)| of(data)).unwrap();
        format!(
            "What is known of {} and {}?",
            most.0.trim_matches('"'),
            self.nodes[0].0.trim_matches('"')
        )
    }

    /// Statements that write it into the tables of a schema, as a workspace.
    pub fn rows(&self, schema: &str, workspace: &str) -> String {
        let text = |text: &str| format!("'{}'", text.replace('\'', "''"));
        let of = |chunk: &Value, name: &str| match &chunk[name] {
            Value::Null => "NULL".to_owned(),
            Value::String(value) => text(value),
            value => value.to_string(),
        };
        let mut sql = format!("SET search_path TO {schema};\n");
        for (at, (id, chunk)) in self.chunks.iter().enumerate() {
            let columns = ["full_doc_id", "chunk_order_index", "content", "file_path"];
            let columns = columns.map(|name| of(chunk, name)).join(", ");
            sql += &format!(
                "INSERT INTO lightrag_doc_chunks (id, workspace, full_doc_id, chunk_order_index, content, file_path, create_time) \
                 VALUES ({}, '{workspace}', {columns}, timestamp '2026-01-01' + interval '{at} s');\n",
                text(id)
            );
        }
        let object = |data: &Map<String, Value>| {
            let mut data = data.clone();
            if let Some(weight) = data.get_mut("weight") {
                *weight = json!(weight.as_str().unwrap().parse::<f64>().unwrap());
            }
            text(&Value::Object(data).to_string())
        };
        for (id, data) in &self.nodes {
            sql += &format!(
                "INSERT INTO lightrag_graph_nodes (workspace, id, properties) VALUES ('{workspace}', {}, {});\n",
                text(id),
                object(data)
            );
        }
        for (ends, data) in &self.edges {
            let (source, target) = ((&ends[0]).min(&ends[1]), (&ends[0]).max(&ends[1]));
            sql += &format!(
                "INSERT INTO lightrag_graph_edges (workspace, src_id, tgt_id, properties) VALUES ('{workspace}', {}, {}, {});\n",
                text(source),
                text(target),
                object(data)
            );
        }
        sql
    }
}

/// Tables as the systems create them: their columns, types and keys.
pub mod table {
    use super::super::server::Server;

    /// LightRAG's of 2026. Vectors are of pgvector where the server has it.
    pub fn lightrag(server: &Server, database: &str, schema: &str) -> String {
        let vector = match server.try_sql(database, "CREATE EXTENSION IF NOT EXISTS vector") {
            Ok(()) => "public.vector(8)",
            Err(_) => "real[]",
        };
        format!(
            "SET search_path TO {schema};
            CREATE TABLE LIGHTRAG_DOC_FULL (
                id VARCHAR(255), workspace VARCHAR(255), doc_name VARCHAR(1024), content TEXT, meta JSONB,
                create_time TIMESTAMP(0) DEFAULT CURRENT_TIMESTAMP, update_time TIMESTAMP(0) DEFAULT CURRENT_TIMESTAMP,
                CONSTRAINT LIGHTRAG_DOC_FULL_PK PRIMARY KEY (workspace, id));
            CREATE TABLE LIGHTRAG_DOC_CHUNKS (
                id VARCHAR(255), workspace VARCHAR(255), full_doc_id VARCHAR(256), chunk_order_index INTEGER, tokens INTEGER,
                content TEXT, file_path TEXT NULL, llm_cache_list JSONB NULL DEFAULT '[]'::jsonb,
                heading JSONB NULL DEFAULT '{{}}'::jsonb, sidecar JSONB NULL DEFAULT '{{}}'::jsonb,
                create_time TIMESTAMP(0) DEFAULT CURRENT_TIMESTAMP, update_time TIMESTAMP(0) DEFAULT CURRENT_TIMESTAMP,
                CONSTRAINT LIGHTRAG_DOC_CHUNKS_PK PRIMARY KEY (workspace, id));
            CREATE TABLE LIGHTRAG_VDB_ENTITY_MINI_8D (
                id VARCHAR(255), workspace VARCHAR(255), entity_name VARCHAR(512), content TEXT, content_vector {vector},
                create_time TIMESTAMP(0) DEFAULT CURRENT_TIMESTAMP, update_time TIMESTAMP(0) DEFAULT CURRENT_TIMESTAMP,
                chunk_ids VARCHAR(255)[] NULL, file_path TEXT NULL,
                CONSTRAINT LIGHTRAG_VDB_ENTITY_PK PRIMARY KEY (workspace, id));
            CREATE TABLE LIGHTRAG_ENTITY_CHUNKS (
                id VARCHAR(512), workspace VARCHAR(255), chunk_ids JSONB, count INTEGER,
                create_time TIMESTAMP(0) DEFAULT CURRENT_TIMESTAMP, update_time TIMESTAMP(0) DEFAULT CURRENT_TIMESTAMP,
                CONSTRAINT LIGHTRAG_ENTITY_CHUNKS_PK PRIMARY KEY (workspace, id));
            CREATE TABLE LIGHTRAG_RELATION_CHUNKS (
                id VARCHAR(512), workspace VARCHAR(255), chunk_ids JSONB, count INTEGER,
                create_time TIMESTAMP(0) DEFAULT CURRENT_TIMESTAMP, update_time TIMESTAMP(0) DEFAULT CURRENT_TIMESTAMP,
                CONSTRAINT LIGHTRAG_RELATION_CHUNKS_PK PRIMARY KEY (workspace, id));
            CREATE TABLE lightrag_graph_nodes (
                workspace TEXT NOT NULL, namespace TEXT NOT NULL DEFAULT 'chunk_entity_relation', id TEXT NOT NULL,
                properties JSONB NOT NULL DEFAULT '{{}}', updated_at TIMESTAMPTZ NOT NULL DEFAULT now(),
                PRIMARY KEY (workspace, namespace, id));
            CREATE TABLE lightrag_graph_edges (
                workspace TEXT NOT NULL, namespace TEXT NOT NULL DEFAULT 'chunk_entity_relation',
                src_id TEXT NOT NULL, tgt_id TEXT NOT NULL,
                properties JSONB NOT NULL DEFAULT '{{}}', updated_at TIMESTAMPTZ NOT NULL DEFAULT now(),
                PRIMARY KEY (workspace, namespace, src_id, tgt_id));
            ALTER TABLE lightrag_graph_edges
                ADD FOREIGN KEY (workspace, namespace, src_id) REFERENCES lightrag_graph_nodes ON DELETE CASCADE,
                ADD FOREIGN KEY (workspace, namespace, tgt_id) REFERENCES lightrag_graph_nodes ON DELETE CASCADE;"
        )
    }

    /// DocsGPT's of 2026, with two sources.
    pub fn docsgpt(server: &Server, database: &str) -> String {
        let vector = match server.try_sql(database, "CREATE EXTENSION IF NOT EXISTS vector") {
            Ok(()) => "vector(4)",
            Err(_) => "real[]",
        };
        format!(
            "CREATE TABLE documents (
                id SERIAL PRIMARY KEY, text TEXT NOT NULL, embedding {vector}, metadata JSONB, source_id TEXT NOT NULL,
                created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
            CREATE TABLE graph_nodes (
                id UUID PRIMARY KEY, source_id UUID NOT NULL, name TEXT, normalized_name TEXT, type TEXT, description TEXT,
                degree INT DEFAULT 0, doc_freq INT DEFAULT 0, name_embedding {vector}, UNIQUE (source_id, normalized_name));
            CREATE TABLE graph_edges (
                id UUID PRIMARY KEY, source_id UUID NOT NULL, src_node_id UUID, dst_node_id UUID, type TEXT, description TEXT,
                weight REAL DEFAULT 1.0, source_chunk_ids JSONB);
            CREATE TABLE graph_node_chunks (
                source_id UUID NOT NULL, node_id UUID NOT NULL, chunk_id TEXT NOT NULL,
                PRIMARY KEY (source_id, node_id, chunk_id));"
        )
    }

    /// Rows of DocsGPT: a source of three texts, with an edge to nowhere and an entity in a text that is gone; and another.
    pub const DOCSGPT: &str = r#"
        INSERT INTO documents (text, metadata, source_id) VALUES
            ('Christiaan Huygens found Titan in 1655.', '{"title": "in/titan.md"}', '00000000-0000-0000-0000-00000000000a'),
            ('Titan is a moon of Saturn.', '{"filename": "moons.txt"}', '00000000-0000-0000-0000-00000000000a'),
            ('Nothing of note.', NULL, '00000000-0000-0000-0000-00000000000a'),
            ('Another upload.', '[]', '00000000-0000-0000-0000-00000000000b'),
            ('Without a graph.', '{}', '00000000-0000-0000-0000-00000000000c');
        INSERT INTO graph_nodes (id, source_id, name, normalized_name, type, description) VALUES
            ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-00000000000a', 'Titan', 'titan', 'moon', NULL),
            ('00000000-0000-0000-0000-000000000002', '00000000-0000-0000-0000-00000000000a', 'Christiaan Huygens', 'christiaan huygens', 'person', 'An astronomer.'),
            ('00000000-0000-0000-0000-000000000003', '00000000-0000-0000-0000-00000000000a', NULL, 'saturn', NULL, ''),
            ('00000000-0000-0000-0000-000000000004', '00000000-0000-0000-0000-00000000000b', 'Titan', 'titan', 'moon', '');
        INSERT INTO graph_node_chunks (source_id, node_id, chunk_id) VALUES
            ('00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000001', '1'),
            ('00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000001', '2'),
            ('00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000002', '1'),
            ('00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000003', '2'),
            ('00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000003', '99'),
            ('00000000-0000-0000-0000-00000000000b', '00000000-0000-0000-0000-000000000004', '4');
        INSERT INTO graph_edges (id, source_id, src_node_id, dst_node_id, type, description, weight, source_chunk_ids) VALUES
            ('00000000-0000-0000-0000-000000000011', '00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000002', '00000000-0000-0000-0000-000000000001', 'discovered', 'In 1655.', 2, '["1"]'),
            ('00000000-0000-0000-0000-000000000012', '00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000003', 'orbits', NULL, NULL, '[2]'),
            ('00000000-0000-0000-0000-000000000013', '00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000001', NULL, 'lost', NULL, 1, '"1"');"#;

    /// Rows that no program should write, and some does: nulls, properties of any form, lists that are none, names with
    /// characters that act on a terminal, an attribute that was cut with its whole list, one that was cut without.
    pub const ODD: &str = r#"
        INSERT INTO lightrag_doc_chunks (id, workspace, full_doc_id, chunk_order_index, content) VALUES
            ('c1', 'odd', 'd1', 0, 'Ada Lovelace wrote of the engine.'),
            ('c2', 'odd', 'd1', 1, 'Ada met Babbage in London.'),
            ('c3', 'odd', NULL, NULL, NULL);
        INSERT INTO lightrag_graph_nodes (workspace, id, properties) VALUES
            ('odd', 'Ada', '{"entity_type": "person", "source_id": "c1", "truncate": "KEEP Old", "description": null}'),
            ('odd', 'Babbage', '"{\"entity_type\": \"person\", \"source_id\": \"c2\"}"'),
            ('odd', 'London', '[1, 2]'),
            ('odd', E'Eng\u001b[31mine', '{"source_id": ["c1", "gone"], "entity_type": 7}'),
            ('odd', 'O''Brien "\', '{"source_id": "c2", "truncate": "FIFO 300"}'),
            ('odd', 'Null', 'null'),
            ('two', 'Alone', '{}');
        INSERT INTO lightrag_graph_nodes (workspace, namespace, id) VALUES ('odd', 'other_graph', 'Nobody');
        INSERT INTO lightrag_entity_chunks (id, workspace, chunk_ids) VALUES
            ('Ada', 'odd', '["c1", "c2"]'), ('London', 'odd', '{"c1": 2}'), ('Babbage', 'odd', NULL), ('Ada', 'two', '["c9"]');
        INSERT INTO lightrag_graph_edges (workspace, src_id, tgt_id, properties) VALUES
            ('odd', 'Ada', 'Babbage', '{"weight": "2.5", "keywords": "letters<SEP>engine", "source_id": "c2"}'),
            ('odd', 'Ada', 'London', '{"weight": "heavy", "description": 3}'),
            ('odd', 'London', 'London', '{"weight": 1}');"#;
}
