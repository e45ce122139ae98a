//! The protocol: which tool and which resource a message asks for. Tools run on threads of their own, so that a long one
//! keeps no other message waiting, and stop where the client cancels the request or goes away.

use super::passages;
use crate::cli::calls::{Refusal, Session, TOOLS, Tool, passage};
use crate::cli::interrupt::interrupted;
use anyhow::{Result, anyhow, bail};
use rmcp::ErrorData;
use rmcp::model::{
    self, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    JsonObject, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ServerCapabilities, ServerConfig, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError};
use rmcp::{ServerHandler, ServiceExt};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// How soon an interrupt is seen.
const LOOK: Duration = Duration::from_millis(100);

/// What a client may show its model about these tools.
const ABOUT: &str = "Debugs the retrieval of passages from one open index. Start with open_status. ask returns passages; why \
explains a returned one, why_not a missed one (repairs=true tries changes that bring it in); compare finds which setting made \
two runs differ; evaluate measures a method on the question set and counts why gold is missed. A RUN is METHOD[@PARAMETER=VALUE]. \
max_tokens bounds every answer; left_out names what did not fit. Everything is read-only.";

struct Server(Arc<Session>);

/// A tool as the list of tools has it.
fn declared(tool: &Tool) -> model::Tool {
    let hints = ToolAnnotations::with_title(tool.title).read_only(true);
    model::Tool::new(tool.name, tool.about, object(tool.input()))
        .with_title(tool.title)
        .with_raw_output_schema(Arc::new(object(tool.output())))
        .with_annotations(hints.destructive(false).idempotent(true).open_world(false))
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

/// Answers on standard input and output until the client closes them.
///
/// # Errors
/// A first message that opens no session, an interrupt.
pub fn serve(session: Arc<Session>) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let ended = runtime.block_on(async {
        let session = async {
            let streams = (tokio::io::stdin(), tokio::io::stdout());
            match Server(session).serve(streams).await {
                Ok(running) => running
                    .waiting()
                    .await
                    .map(drop)
                    .map_err(|e| anyhow!("{e}")),
                // A client that leaves before it says anything is no failure.
                Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
                Err(error) => Err(anyhow!("MCP: {error}")),
            }
        };
        let ctrl_c = async {
            while !interrupted() {
                tokio::time::sleep(LOOK).await;
            }
        };
        tokio::select! {
            ended = session => ended,
            () = ctrl_c => bail!("interrupted"),
        }
    });
    // A read of standard input that is under way has no end of its own.
    runtime.shutdown_background();
    ended
}

impl Server {
    /// Does something that may take long, or wait for a database, beside what is read and written meanwhile.
    async fn work<T: Send + 'static>(
        &self,
        name: &str,
        work: impl FnOnce(&Session) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let session = self.0.clone();
        let done = tokio::task::spawn_blocking(move || work(&session)).await;
        done.map_err(|_| {
            let error = format!("{name} failed; standard error has the cause");
            ErrorData::internal_error(error, None)
        })
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder();
        ServerConfig::new(capabilities.enable_tools().enable_resources().build())
            .with_server_info(Implementation::new("hopscope", env!("CARGO_PKG_VERSION")))
            .with_instructions(ABOUT)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let all = TOOLS.iter().map(declared);
        Ok(ListToolsResult::with_all_items(all.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == request.name) else {
            let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            let error = format!("no tool '{}'; there are {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(
                error,
                Some(json!({"options": names})),
            ));
        };
        let cancelled = context.ct;
        let arguments = request.arguments.unwrap_or_default();
        let work = self.work(tool.name, move |session| {
            let go_on = || !cancelled.is_cancelled() && !interrupted();
            tool.call(session, arguments, &go_on)
        });
        let result = match work.await? {
            Ok(answer) => CallToolResult::structured(answer),
            // Text alone: an error does not have the shape of an answer.
            Err(refusal) => {
                CallToolResult::error(vec![ContentBlock::text(json!(refusal).to_string())])
            }
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let from = match cursor.as_deref().map(str::parse::<usize>) {
            None => 0,
            Some(Ok(from)) => from,
            Some(Err(_)) => {
                let error = "cursor: pass the nextCursor of the page before";
                return Err(ErrorData::invalid_params(error, None));
            }
        };
        let page = move |session: &Session| session.read(|index| passages::page(index, from));
        let page = self.work("resources/list", page).await?;
        let failed = |refusal: Refusal| ErrorData::internal_error(refusal.error, None);
        let (resources, next) = page.map_err(failed)?;
        let mut listed = ListResourcesResult::with_all_items(resources);
        listed.next_cursor = next.map(|next| next.to_string());
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = vec![passages::template()];
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = move |session: &Session| {
            let found = passage(session, &request.uri)?;
            session.read(|index| passages::contents(index, found))
        };
        let contents = self.work("resources/read", contents).await?;
        let contents = contents.map_err(|refusal: Refusal| {
            let told = Some(json!({"hint": refusal.hint, "options": refusal.options}));
            ErrorData::resource_not_found(refusal.error, told)
        })?;
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}
