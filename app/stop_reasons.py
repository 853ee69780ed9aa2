"""Why an answer is not complete and a model gave nothing, in words."""

from typing import Final

_STOPS: Final[dict[str, tuple[str, str]]] = {
    "not_found": ("something asked for was not found", "有所问内容未找到"),
    "unsupported_claims": ("not every statement is carried by a source", "并非每处陈述都有来源支持"),
    "not_checked": ("not every statement could be checked", "并非每处陈述都经过核对"),
    "weak_evidence": ("it rests on evidence that is not firm", "所依据的证据不够可靠"),
    "read_in_part": ("a document it leans on was not read whole", "所依据的文件未完整读取"),
    "tool_failure": ("the tools failed", "工具调用失败"),
    "model_failed": ("the model failed", "模型未能回应"),
    "no_model": ("no model is configured", "没有配置模型"),
    "no_source": ("no source was searched", "没有检索任何来源"),
    "no_plan": ("no plan could be made", "未能制定计划"),
    "max_tasks": ("the limit of tasks was reached", "达到任务数上限"),
    "max_seconds": ("the time limit was reached", "达到时间上限"),
    "max_tokens": ("the limit of tokens was reached", "达到词元上限"),
    "max_cost": ("the cost limit was reached", "达到费用上限"),
    "max_model_calls": ("the limit of model calls was reached", "达到模型调用上限"),
    "max_tool_calls": ("the limit of tool calls was reached", "达到工具调用上限"),
}

_FAULTS_ZH: Final = {
    "refused": "请求被拒绝",
    "denied": "密钥或权限被拒绝",
    "overflow": "超出模型的上下文长度",
    "server": "模型服务出错",
    "busy": "请求过于频繁",
    "unreachable": "连接不上",
    "late": "没有及时回应",
    "deadline": "本次运行的时间已用完",
    "malformed": "回复格式不对",
    "empty": "回复为空",
    "incomplete": "回复不完整",
    "limit": "达到本次运行的限额",
}


def model_fault(language: str, fault: str, words: str) -> str:
    """Why a model gave nothing: in Chinese its kind, where that is known, and the words themselves."""
    known = _FAULTS_ZH.get(fault) if language == "zh" else None
    return f"{known}（原话：{words}）" if known else words


def stop_reason(language: str, reason: str) -> str:
    """A stop reason in words, in Chinese or else English."""
    known = _STOPS.get(reason)
    return known[language == "zh"] if known else reason.replace("_", " ")
